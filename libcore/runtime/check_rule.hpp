// Check of user rules: whether both graphs of a rule compute the same.
#pragma once

#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Limits for the runs; both may be null.
struct RuleCheckOptions {
  MemoryCap* cap = nullptr;
  const StopToken* stop = nullptr;
};

/// Runs both graphs on random inputs of several sizes. A rule of level basic must be bit-exact, one
/// of level extended within a relative 1e-4 plus 1e-5 of the largest value. Throws
/// ErrorCode::invalid, "rules.wrong", naming the rule and the difference, and any error of running
/// a graph.
void check_rule(const UserRule& rule, const std::shared_ptr<const Provider>& provider,
                const RuleCheckOptions& options = {});

}  // namespace ortool
