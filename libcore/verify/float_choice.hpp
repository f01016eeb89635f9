// 16 bits: chooses nodes to keep in float32 by the magnitude of their values.
#pragma once

#include <map>
#include <string>

#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// Reasons by node name, for the rewritten model: a name that --keep-float matches, or a result or
/// input that exceeds half of the type's range in a run. Throws ErrorCode::invalid for a glob that
/// matches no node.
std::map<std::string, std::string> find_floats_to_keep(const TaskContext& task,
                                                       const Rewriting& rewriting,
                                                       Verifier& verifier);

}  // namespace ortool
