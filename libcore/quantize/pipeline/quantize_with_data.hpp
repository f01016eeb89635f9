// --mode static: ranges from calibration data, weights and biases fitted to it, and both forms
// compared.
#pragma once

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Quantises the prepared model and puts all that is told of it into the report.
void quantize_with_data(const QuantizeContext& context, Model& model);

}  // namespace ortool
