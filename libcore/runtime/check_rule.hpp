// Whether the two graphs of a user's rule compute the same.
#pragma once

#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Bounds on the runs; both may be null.
struct RuleCheckOptions {
  MemoryCap* cap = nullptr;
  const StopToken* stop = nullptr;
};

/// Runs both graphs on made-up inputs of several sizes. A rule of the level basic must keep every
/// bit, an extended one floats to 1e-4 of themselves plus 1e-5 of the largest. Throws
/// ErrorCode::invalid, "rules.wrong", naming the rule and what differs, and whatever keeps a graph
/// from running.
void check_rule(const UserRule& rule, const std::shared_ptr<const Provider>& provider,
                const RuleCheckOptions& options = {});

}  // namespace ortool
