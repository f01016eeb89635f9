// --fp16: which nodes stay in float32, by what they compute on the inputs.
#pragma once

#include <map>
#include <string>

#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// Reasons by name of node, for the rewritten model: a name that --keep-float gives, or a result or
/// an input that passes half of float16's range in a run. Throws ErrorCode::invalid for a glob that
/// fits no node.
std::map<std::string, std::string> find_floats_to_keep(const Rewriting& rewriting,
                                                       Verifier& verifier);

}  // namespace ortool
