// The pipeline with the additions of --target and --rules.
#pragma once

#include <memory>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Providers that fold constants and verify, in float32: --precision is that of the written model.
std::vector<std::shared_ptr<const Provider>> choose_verifying_providers(
    const Invocation& invocation);

/// `groups` with the passes for ortool's files on request, and the checked rules of
/// --rules. Throws ErrorCode::invalid for wrong rules.
std::vector<RuleGroup> groups_with_options(const Invocation& invocation,
                                           std::vector<RuleGroup> groups);

/// For --rules: warns if none applied; throws ErrorCode::invalid if they do not terminate.
void check_user_rules(const Invocation& invocation, const RewriteReport& rewrites);

}  // namespace ortool
