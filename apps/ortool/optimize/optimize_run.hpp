// ortool optimize: from the model to the one that is written.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

/// Does what the invocation asks for with `groups` for a pipeline, and with the rules of --rules.
void run_optimize(Invocation& invocation, std::vector<RuleGroup> groups);

}  // namespace ortool
