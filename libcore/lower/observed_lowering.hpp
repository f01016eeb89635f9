// Observed lowering: a look at the model after every pass, for lists of what sessions make.
#pragma once

#include <functional>

#include "libcore/lower/lower.hpp"

namespace ortool {

/// lower(), which calls `after_pass` after every pass of lowering, and after every pass and group
/// of rules of rewriting.
LoweredModel lower(Model& model, const LoweringOptions& options, const CompileContext& context,
                   const std::function<void(const Model&)>& after_pass);

}  // namespace ortool
