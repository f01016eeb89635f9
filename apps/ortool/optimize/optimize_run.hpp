// ortool optimize: from the model to the one that is written.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

/// Does what the invocation asks for with `groups` for a pipeline.
void run_optimize(Invocation& invocation, const std::vector<RuleGroup>& groups);

}  // namespace ortool
