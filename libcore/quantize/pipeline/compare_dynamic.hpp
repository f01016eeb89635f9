// Comparison with dynamic quantization, for models that calibrated ranges do not suit.
#pragma once

#include "libcore/quantize/calibrate/calibration_data.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// If the worst output of the statically quantized `model` is poor, quantizes `prepared`
/// dynamically as well, and warns if that is much closer to the float model `floats` on a few
/// samples.
void warn_if_dynamic_is_better(const QuantizeContext& context, const Session& floats,
                               const Model& prepared, const Model& model, CalibrationData& data);

}  // namespace ortool
