// Nodes that must stay in float32 so that a model in float16 gives the outputs of the original.
#pragma once

#include <map>
#include <string>

#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// Converts the rewritten model, all but the nodes in `reasons`, and compares; where outputs differ
/// by more than float16 may make them, adds nodes to `reasons` until they do not: in each round the
/// stretch of nodes that helps most, and of it no more than is needed. Gives up after a minute, or
/// where no stretch helps; `reasons` then stays as it was.
void keep_floats_that_count(const Rewriting& rewriting, Verifier& verifier,
                            std::map<std::string, std::string>& reasons);

}  // namespace ortool
