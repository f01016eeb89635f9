// QOperator conversion: the step that replaces QDQ clusters by integer operators.
#pragma once

#include <string>

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Converts a QDQ model after its values were compared, and compares its outputs again on the data
/// set of that role, if there is one.
void use_integers(const QuantizeContext& context, const Session& floats, Model& model,
                  DataRole role);

}  // namespace ortool
