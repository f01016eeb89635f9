// The ordered lists of rules. `basic` keeps every bit; `extended` the numbers within a few ulp;
// `all` adds what only ortool's own kernels can run.
#include "libcore/optimize/pipeline.hpp"

#include "libcore/graph/traverse.hpp"
#include "libcore/optimize/passes.hpp"
#include "libcore/optimize/rules.hpp"

namespace ortool {
namespace {

/// Groups may make places for one another; after so many rounds they have had their chance.
constexpr int most_rounds = 8;

/// What is to run.
std::vector<RuleGroup> chosen(OptimizeLevel level, const RewriteOptions& options) {
  std::vector<RuleGroup> groups = pipeline();
  std::erase_if(groups, [&](const RuleGroup& group) { return group.level > level; });
  for (RuleGroup& group : groups) {
    std::erase_if(group.passes, [&](const Pass& pass) { return !options.chooses(pass.name); });
    std::erase_if(group.rules, [&](const Rule& rule) {
      return !options.chooses(rule.name) || (rule.is_for_files && options.has_own_operators);
    });
  }
  return groups;
}

}  // namespace

std::vector<RuleGroup> pipeline() {
  std::vector<RuleGroup> groups;
  groups.push_back({"compute",
                    OptimizeLevel::basic,
                    {},
                    {inline_functions_pass(), fold_shapes(), fold_constants(), inline_branches(),
                     unroll_loops()}});
  groups.push_back(
      {"clean up",
       OptimizeLevel::basic,
       {remove_identity(), remove_dropout(), remove_same_cast(), remove_same_reshape(),
        remove_same_transpose(), remove_same_expand(), merge_transposes(), merge_reshapes()},
       {remove_unread_nodes(), share_constants(), share_nodes()}});
  groups.push_back(
      {"fuse arithmetic",
       OptimizeLevel::extended,
       {fuse_gelu(), fuse_gelu_tanh(), fuse_swish(), fuse_layer_norm(), fuse_layer_norm_affine(),
        fuse_rms_norm(), fuse_norm_scale(), fuse_norm_bias()}});
  groups.push_back({"fuse attention",
                    OptimizeLevel::extended,
                    {fuse_attention(), fuse_attention_groups(), fuse_attention_heads(),
                     fuse_attention_scale()}});
  groups.push_back({"fit kernels", OptimizeLevel::all, {fuse_skip_layer_norm()}});
  return groups;
}

RewriteReport optimize(Model& model, OptimizeLevel level, const RewriteOptions& options) {
  RewriteReport report;
  const std::vector<RuleGroup> groups = chosen(level, options);
  for (int round = 0; round < most_rounds; ++round) {
    const std::int64_t before = report.rewrites;
    for (const RuleGroup& group : groups) {
      for (const Pass& pass : group.passes) pass.run(model, options, report);
      // Inner graphs first, since a node that goes away takes its graphs with it.
      const std::vector<Graph*> graphs = graphs_in(*model.graph);
      for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph)
        rewrite(**graph, group.rules, options, report);
    }
    if (report.rewrites == before) break;
  }
  return report;
}

}  // namespace ortool
