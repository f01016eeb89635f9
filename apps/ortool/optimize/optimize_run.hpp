// Runs optimize, from the model read to the model written.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

/// Runs the invocation with `groups` as pipeline, and with the rules of --rules.
void run_optimize(Invocation& invocation, std::vector<RuleGroup> groups);

}  // namespace ortool
