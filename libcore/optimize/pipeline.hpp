// The optimiser at a glance: which rules run, in which order.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/pass.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// Passes in their order, then rules that run together until none of them fits.
struct RuleGroup {
  std::string_view name;
  OptimizeLevel level;
  std::vector<Rule> rules;
  std::vector<Pass> passes = {};
  bool is_on_request = false;  ///< runs where somebody names its rules alone
};

/// Every group in the order they run.
std::vector<RuleGroup> pipeline();

/// Groups that no level holds, in the order they run behind the others: clusters of quantised
/// values as operators on integers, whose numbers may differ by one unit.
std::vector<RuleGroup> groups_on_request();
/// pipeline() with groups_on_request() behind it: run only with an `is_chosen` that leaves out what
/// nobody named.
std::vector<RuleGroup> whole_pipeline();

/// A rule or pass as users see it.
struct PassDescription {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level;
  Evidence evidence;
  bool is_on_request = false;
};

/// Every pass and rule of the groups, in their order.
std::vector<PassDescription> describe_passes(const std::vector<RuleGroup>& groups);

/// Runs the groups up to `level` over the model's main graph and every graph inside it, until a
/// round changes nothing. Types must have been inferred (infer_shapes); inferring again afterwards
/// gives the values inside of new places theirs.
RewriteReport optimize(Model& model, OptimizeLevel level, const RewriteOptions& options);

/// The same with groups of the caller's; their names outlive the report.
RewriteReport optimize(Model& model, std::vector<RuleGroup> groups, OptimizeLevel level,
                       const RewriteOptions& options);

}  // namespace ortool
