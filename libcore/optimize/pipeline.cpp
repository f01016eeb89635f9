// Optimizer pipeline: the ordered lists of rules and passes, by optimization level.
#include "libcore/optimize/pipeline.hpp"

#include <algorithm>
#include <chrono>

#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// The maximum number of rounds: groups may create opportunities for one another.
constexpr int max_rounds = 8;

/// Keeps only what is to run.
void choose(std::vector<RuleGroup>& groups, OptimizeLevel level, const RewriteOptions& options) {
  std::erase_if(groups, [&](const RuleGroup& group) { return group.level > level; });
  for (RuleGroup& group : groups) {
    std::erase_if(group.passes, [&](const Pass& pass) { return !options.chooses(pass.name); });
    std::erase_if(group.rules, [&](const Rule& rule) {
      return !options.chooses(rule.name) || (rule.is_for_files && options.is_in_session);
    });
  }
}

struct Size {
  std::int64_t nodes = 0;
  std::int64_t constant_bytes = 0;
};

Size size_of(const Model& model) {
  Size size;
  for (const Graph* graph : graphs_in(model)) {
    size.nodes += graph->node_count();
    for (const Value* value : graph->values())
      size.constant_bytes += value->constant().size_bytes();
  }
  return size;
}

/// Invariants after every pass and group of rules; checked in debug builds.
void check_after(std::string_view pass, const Model& model, const RewriteOptions& options) {
#ifndef NDEBUG
  verify_names(*model.graph);
#endif
  if (options.after_pass) options.after_pass(model, pass);
}

void run_pass(const Pass& pass, Model& model, const RewriteOptions& options,
              RewriteReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t rewrites = report.rewrites;
  const Size before = size_of(model);
  pass.run(model, options, report);
  const Size after = size_of(model);
  PassRecord& record = report.record_of(pass.name);
  record.applied += report.rewrites - rewrites;
  record.nodes_added += after.nodes - before.nodes;
  count_added_nodes(after.nodes - before.nodes, pass.name, options, report);
  record.constant_bytes_added += after.constant_bytes - before.constant_bytes;
  record.milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  check_after(pass.name, model, options);
}

/// The model's own nodes: user rules may have added others without bound.
std::int64_t own_nodes(const Model& model, const RewriteReport& report) {
  std::int64_t nodes = size_of(model).nodes;
  for (const PassRecord& record : report.passes) {
    if (record.is_users) nodes -= std::max<std::int64_t>(0, record.nodes_added);
  }
  return std::max<std::int64_t>(1, nodes);
}

/// The passes and groups of rules of a round.
std::int64_t items_of(const std::vector<RuleGroup>& groups) {
  std::int64_t items = 0;
  for (const RuleGroup& group : groups) items += 1 + static_cast<std::int64_t>(group.passes.size());
  return items;
}

std::vector<std::int64_t> uses_of(const RewriteReport& report) {
  std::vector<std::int64_t> uses;
  for (const PassRecord& record : report.passes) uses.push_back(record.applied);
  return uses;
}

}  // namespace

std::vector<RuleGroup> pipeline() {
  std::vector<RuleGroup> groups;
  // Before constant folding, since expanded constants would be large.
  groups.push_back({"spare", OptimizeLevel::basic, {remove_broadcast_expand()}});
  groups.push_back({"compute",
                    OptimizeLevel::basic,
                    {},
                    {inline_functions_pass(), fold_shapes(), fold_constants(), inline_branches(),
                     unroll_loops(), remove_zero_states()}});
  groups.push_back({"clean up",
                    OptimizeLevel::basic,
                    {remove_identity(),
                     remove_dropout(),
                     remove_same_cast(),
                     remove_same_reshape(),
                     remove_same_transpose(),
                     remove_same_expand(),
                     remove_same_slice(),
                     remove_single_operand(),
                     remove_empty_pad(),
                     remove_same_resize(),
                     remove_boundless_clip(),
                     remove_neutral_operand(),
                     remove_known_where(),
                     remove_double_negation(),
                     remove_repeated_function(),
                     merge_transposes(),
                     merge_unsqueezes(),
                     merge_squeezes(),
                     merge_reshapes(),
                     merge_casts(),
                     merge_slices(),
                     merge_concats(),
                     take_joined_parts(),
                     cancel_transposes(),
                     turn_arg_extreme(),
                     replace_output_shape(),
                     remove_requantization()},
                    {remove_unread_nodes(), share_constants(), share_nodes()}});
  groups.push_back({"fuse arithmetic",
                    OptimizeLevel::extended,
                    {fold_batch_norm_before(),
                     merge_batch_norms(),
                     merge_batch_norm_operand(),
                     merge_operand_batch_norm(),
                     fold_batch_norm(),
                     fold_channel_operand(),
                     fold_batch_norm_product(),
                     fuse_pad(),
                     trim_conv_window(),
                     replace_einsum(),
                     fuse_matmul_transpose(),
                     fuse_gemm_transpose(),
                     fuse_gemm_scale(),
                     fuse_softmax(),
                     fuse_log_softmax(),
                     fuse_hard_swish(),
                     fuse_hard_sigmoid(),
                     fuse_hard_sigmoid_product(),
                     fuse_mish(),
                     fuse_instance_norm(),
                     fuse_instance_norm_scale(),
                     fuse_instance_norm_bias(),
                     fuse_group_norm(),
                     fuse_gelu(),
                     fuse_gelu_tanh(),
                     fuse_swish(),
                     fuse_layer_norm(),
                     fuse_layer_norm_affine(),
                     fuse_rms_norm(),
                     fuse_norm_scale(),
                     fuse_norm_bias(),
                     remove_zero_addend(),
                     turn_reduction(),
                     turn_softmax(),
                     merge_factors(),
                     fold_product_scale()}});
  groups.push_back(
      {"fuse attention",
       OptimizeLevel::extended,
       {fuse_rotary_pairs(), fuse_rotary_halves(), fuse_rotary_gathered(), fuse_rotary_fixed(),
        move_rotary(), fuse_attention(), fuse_attention_groups(), fuse_attention_cache(),
        fuse_attention_heads(), fuse_attention_scale(), fuse_causal_mask()}});
  groups.push_back({"fit files",
                    OptimizeLevel::extended,
                    {fuse_matmul_add(), fuse_matmul_add_reshape(), spread_attention_mask()},
                    {merge_products(), fuse_slices()}});
  // Moving the int8 data would hide the QDQ pair around the data movement from onnxruntime.
  groups.push_back({"fit kernels",
                    OptimizeLevel::all,
                    {move_bytes(), fuse_embed_layer_norm(), fuse_skip_layer_norm()},
                    {merge_biased_products()}});
  return groups;
}

std::vector<RuleGroup> groups_on_request() {
  std::vector<RuleGroup> groups;
  groups.push_back({"integer operators",
                    OptimizeLevel::extended,
                    {fuse_qlinear_conv(), fuse_qlinear_matmul(), move_byte_windows()}});
  // Products whose sums stay in float; those with int8 results are gone by now.
  groups.push_back({"integer sums", OptimizeLevel::extended, {fuse_matmul_integer()}});
  for (RuleGroup& group : groups) group.is_on_request = true;
  return groups;
}

std::vector<RuleGroup> whole_pipeline() {
  std::vector<RuleGroup> groups = pipeline();
  for (RuleGroup& group : groups_on_request()) groups.push_back(std::move(group));
  return groups;
}

std::vector<PassDescription> describe_passes(const std::vector<RuleGroup>& groups) {
  std::vector<PassDescription> descriptions;
  for (const RuleGroup& group : groups) {
    for (const Pass& pass : group.passes)
      descriptions.push_back(
          {pass.name, pass.summary, group.level, pass.evidence, group.is_on_request});
    for (const Rule& rule : group.rules)
      descriptions.push_back(
          {rule.name, rule.summary, group.level, rule.evidence, group.is_on_request});
  }
  return descriptions;
}

RewriteReport optimize(Model& model, std::vector<RuleGroup> groups, OptimizeLevel level,
                       const RewriteOptions& options, Progress* progress) {
  Progress uncounted(StepFunction(), "");
  Progress& counted = progress != nullptr ? *progress : uncounted;
  RewriteReport report;
  choose(groups, level, options);
  make_names_unique(*model.graph);
  const std::int64_t items = items_of(groups);
  // A round that changes nothing is the last: few models need one only.
  counted.expect(2 * items);
  for (int round = 0; round < max_rounds; ++round) {
    if (round > 1) counted.expect(items);
    const std::int64_t before = report.rewrites;
    const std::vector<std::int64_t> uses = uses_of(report);
    report.model_nodes = own_nodes(model, report);
    for (const RuleGroup& group : groups) {
      for (const Pass& pass : group.passes) {
        if (report.rewrites < options.max_rewrites) run_pass(pass, model, options, report);
        counted.finish();
      }
      // Inner graphs first, since a removed node takes its subgraphs with it.
      const std::vector<Graph*> graphs = graphs_in(*model.graph);
      for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph)
        rewrite(**graph, group.rules, options, report);
      check_after(group.name, model, options);
      counted.finish();
    }
    if (report.rewrites == before || report.rewrites >= options.max_rewrites) break;
    if (round < max_rounds - 1) continue;
    for (std::size_t i = 0; i < report.passes.size(); ++i) {
      if (i >= uses.size() || report.passes[i].applied > uses[i])
        report.endless.push_back(report.passes[i].name);
    }
  }
  return report;
}

RewriteReport optimize(Model& model, OptimizeLevel level, const RewriteOptions& options,
                       Progress* progress) {
  return optimize(model, pipeline(), level, options, progress);
}

}  // namespace ortool
