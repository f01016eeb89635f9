// --format qoperator: the step that makes operators on integers, and what is told of it.
#pragma once

#include <string>

#include "apps/ortool/quantize/quantize_context.hpp"

namespace ortool {

/// Rewrites a model in the QDQ form, once its values were compared, and looks at its outputs again
/// on the set that `option` names; empty: there is none.
void use_integers(const QuantizeContext& context, const Session& floats, Model& model,
                  std::string_view option);

/// {operators, clusters_left}; null without --format qoperator.
Json integers_block(const QuantizeReport& result);
/// One line of the same; empty without.
std::string integers_text(const QuantizeReport& result);

}  // namespace ortool
