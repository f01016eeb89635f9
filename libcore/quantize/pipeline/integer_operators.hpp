// The QOperator form: the step that makes operators on integers of clusters in QDQ form.
#pragma once

#include <string>

#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Rewrites a model in the QDQ form, once its values were compared, and looks at its outputs again
/// on the set of that role; none: there is none.
void use_integers(const QuantizeContext& context, const Session& floats, Model& model,
                  DataRole role);

}  // namespace ortool
