// The modes that need no data: ranges taken while the model runs, and weights alone.
#pragma once

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Quantises the prepared model by --mode dynamic or weight-only, and compares both forms where
/// there is a set to compare on.
void quantize_without_data(const QuantizeContext& context, Model& model);

}  // namespace ortool
