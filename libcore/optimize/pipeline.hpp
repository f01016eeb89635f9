// Optimizer pipeline: which passes and rules run, in which order.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/pass.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// Passes that run in order, followed by rules that run together to a fixed point.
struct RuleGroup {
  std::string_view name;
  OptimizeLevel level;
  std::vector<Rule> rules;
  std::vector<Pass> passes = {};
  bool is_on_request = false;  ///< runs only when its rules are named
};

/// All groups in execution order.
std::vector<RuleGroup> pipeline();

/// Groups outside all levels, in execution order after the others: QDQ clusters become integer
/// operators, whose values may differ by one quantization step.
std::vector<RuleGroup> groups_on_request();
/// pipeline() followed by groups_on_request(): requires an `is_chosen` that excludes whatever was
/// not requested by name.
std::vector<RuleGroup> whole_pipeline();

/// A rule or pass as shown to users.
struct PassDescription {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level;
  Evidence evidence;
  bool is_on_request = false;
};

/// All passes and rules of the groups, in order.
std::vector<PassDescription> describe_passes(const std::vector<RuleGroup>& groups);

/// Runs the groups up to `level` on the model's main graph and all its subgraphs, until a round
/// changes nothing. Types must have been inferred (infer_shapes); values created by rewrites inside
/// subgraphs get theirs when types are inferred again. `progress` (may be null) counts the passes
/// and the groups of rules of all rounds.
RewriteReport optimize(Model& model, OptimizeLevel level, const RewriteOptions& options,
                       Progress* progress = nullptr);

/// The same with the caller's groups; their names must outlive the report.
RewriteReport optimize(Model& model, std::vector<RuleGroup> groups, OptimizeLevel level,
                       const RewriteOptions& options, Progress* progress = nullptr);

}  // namespace ortool
