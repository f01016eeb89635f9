// The optimiser at a glance: which rules run, in which order.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/pass.hpp"
#include "libcore/optimize/rewriter.hpp"
#include "libcore/optimize/rule.hpp"

namespace ortool {

/// Passes in their order, then rules that run together until none of them fits.
struct RuleGroup {
  std::string_view name;
  OptimizeLevel level;
  std::vector<Rule> rules;
  std::vector<Pass> passes = {};
};

/// Every group in the order they run.
std::vector<RuleGroup> pipeline();

/// Runs the groups up to `level` over the model's main graph and every graph inside it, until a
/// round changes nothing. Types must have been inferred (infer_shapes); inferring again afterwards
/// gives the values inside of new places theirs.
RewriteReport optimize(Model& model, OptimizeLevel level, const RewriteOptions& options);

}  // namespace ortool
