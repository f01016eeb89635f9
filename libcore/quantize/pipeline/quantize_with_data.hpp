// Static quantization (--mode static): calibration, weight and bias fitting, and comparison.
#pragma once

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Quantizes the prepared model and adds everything reported about it to the result.
void quantize_with_data(const QuantizeContext& context, Model& model);

}  // namespace ortool
