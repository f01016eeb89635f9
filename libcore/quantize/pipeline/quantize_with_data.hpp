// Static quantization (--mode static): calibration, weight and bias fitting, and comparison.
#pragma once

#include <optional>

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Quantizes the prepared model and adds everything reported about it to the result.
void quantize_with_data(const QuantizeContext& context, Model& model);

/// What the values of the prepared model are like on its data, as quantize_with_data() learns it;
/// nothing without data and cache.
std::optional<Calibration> calibrate_with_data(const QuantizeContext& context, Model& model);

}  // namespace ortool
