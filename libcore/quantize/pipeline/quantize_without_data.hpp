// Dynamic and weight-only quantization, the modes that need no calibration data.
#pragma once

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Quantizes the prepared model by --mode dynamic or weight-only, and compares both forms if there
/// is a data set.
void quantize_without_data(const QuantizeContext& context, Model& model);

/// Quantizes the products of `model` dynamically, as far as `choices` and the options want it.
MadePlan make_dynamic(const QuantizeContext& context, Model& model, const PlanChoices& choices);

}  // namespace ortool
