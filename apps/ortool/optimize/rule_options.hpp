// The pipeline with what --target and --rules add to it.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

/// `groups` with the passes that files for ortool get on request, and the rules of --rules, which
/// are checked. Throws ErrorCode::invalid for rules that are wrong.
std::vector<RuleGroup> groups_with_options(const Invocation& invocation,
                                           std::vector<RuleGroup> groups);

/// Of --rules: warns where none acted; throws ErrorCode::invalid where they do not end.
void check_user_rules(const Invocation& invocation, const RewriteReport& rewrites);

}  // namespace ortool
