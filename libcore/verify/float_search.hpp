// Float search: finds nodes that must stay in float32 for a model in 16 bits to match the original.
#pragma once

#include <map>
#include <string>

#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// Converts the rewritten model, except the nodes in `reasons`, and compares; if outputs differ by
/// more than 16 bits permit, adds nodes to `reasons` until they match: in each round the range of
/// nodes that helps most, reduced to what is necessary. Gives up after a minute, or when no range
/// helps; `reasons` is then unchanged.
void keep_floats_that_count(const TaskContext& task, const Rewriting& rewriting, Verifier& verifier,
                            std::map<std::string, std::string>& reasons);

}  // namespace ortool
