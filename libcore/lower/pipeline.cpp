// Lowering pipeline: every pass from a file's graph to a session's, in order.
#include <algorithm>
#include <array>
#include <chrono>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/freeze_defaults.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/append_depthwise.hpp"
#include "libcore/lower/assign_layouts.hpp"
#include "libcore/lower/check_operators.hpp"
#include "libcore/lower/codes/keep_float8_products.hpp"
#include "libcore/lower/codes/keep_quantized_weights.hpp"
#include "libcore/lower/dequantize_recurrent_weights.hpp"
#include "libcore/lower/extract_subgraphs.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/lower/observed_lowering.hpp"
#include "libcore/lower/resolve_captures.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/contrib/decompose_contrib.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/provider/constant_evaluator.hpp"

namespace ortool {
namespace {

/// A model while it is lowered.
struct Lowering {
  Model& model;
  const LoweringOptions& options;
  const CompileContext& context;
  const std::function<void(const Model&)>& after_pass;  ///< may be empty
  ConstantEvaluator evaluator;
  Float8Products float8_products;
  Float8Evaluator float8_evaluator;
  bool keeps_float8 = false;                     ///< from the pass on
  std::vector<RewriteEvent> float8_events = {};  ///< of that pass
  LoweredModel result = {};
  SubgraphRefusals refusals = {};
  std::int64_t applied = 0;  ///< by the current pass

  Graph& graph() const { return *model.graph; }
  RewriteOptions rewrite_options() {
    RewriteOptions rewriting{
        .has_own_operators = true,
        .is_in_session = true,
        .keeps_events = options.keeps_events,
        .evaluator = keeps_float8 ? static_cast<Evaluator*>(&float8_evaluator) : &evaluator,
        .cap = context.cap,
        .stop = options.stop};
    if (options.is_skipped)
      rewriting.is_chosen = [this](std::string_view name) { return !options.is_skipped(name); };
    if (after_pass)
      rewriting.after_pass = [this](const Model& changed, std::string_view) {
        after_pass(changed);
      };
    return rewriting;
  }
};

/// Runs `change`, which returns how often it acted, on every graph of the model, outer ones first;
/// new constants become visible to bodies that capture them.
template <typename Change>
void change_graphs(Lowering& lowering, const Change& change) {
  for (Graph* graph : graphs_in(lowering.graph())) {
    lowering.applied += change(*graph);
    resolve_captures(lowering.graph());
  }
}

void decompose(Lowering& lowering) {
  lowering.applied = decompose_contrib_operators(lowering.model);
  if (lowering.applied > 0) infer_shapes(lowering.model);
}

bool has_quantized_nodes(const Graph& main) {
  for (const Graph* graph : graphs_in(main)) {
    for (const Node& node : graph->nodes()) {
      if (has_trait(node, OpTrait::quantized) || has_trait(node, OpTrait::integer_product))
        return true;
    }
  }
  return false;
}

/// Elsewhere rules go first: an Expand of a constant, say, is removed before operators that
/// broadcast, and would take the memory of its result.
void fold_around_quantized(Lowering& lowering) {
  if (!has_quantized_nodes(lowering.graph())) return;
  RewriteOptions options = lowering.rewrite_options();
  options.fold_limits.keeps_dequantized = true;
  change_graphs(lowering, [&](Graph& graph) {
    RewriteReport report;
    fold_constants(graph, options, report);
    return report.rewrites;
  });
}

/// Hands parts of the graph to providers that compile whole subgraphs, simplified by the rules for
/// files: they get ONNX's own operators. The first of them decides whether these are fused: a
/// compiler that fuses HardSwish itself knows the arithmetic of exporters, not HardSigmoid and Mul.
void hand_over(Lowering& lowering) {
  const LoweringOptions& options = lowering.options;
  const SubgraphProvider* provider = first_subgraph_provider(options.providers);
  if (provider == nullptr) return;
  if (options.level != OptimizeLevel::none) {
    RewriteOptions rewriting = lowering.rewrite_options();
    rewriting.has_own_operators = false;
    rewriting.keeps_events = false;
    rewriting.fold_limits.keeps_dequantized = true;
    const OptimizeLevel most =
        provider->fuses_operators() ? OptimizeLevel::basic : OptimizeLevel::extended;
    static_cast<void>(optimize(lowering.model, std::min(options.level, most), rewriting));
    infer_shapes(lowering.model);
  }
  lowering.applied = extract_subgraphs(lowering.model,
                                       {.providers = options.providers,
                                        .strict = options.strict_provider,
                                        .fuse = options.level != OptimizeLevel::none,
                                        .pinned = options.pinned},
                                       lowering.refusals);
}

void fuse_qdq(Lowering& lowering) {
  change_graphs(lowering,
                [&](Graph& graph) { return fuse_quantized(graph, lowering.context.cap); });
}

void keep_weights(Lowering& lowering) {
  change_graphs(lowering,
                [&](Graph& graph) { return keep_quantized_weights(graph, lowering.context.cap); });
}

void keep_float8(Lowering& lowering) {
  lowering.keeps_float8 = lowering.float8_products.has_taker();
  change_graphs(lowering, [&](Graph& graph) {
    return lowering.float8_products.prepare(graph, lowering.context.cap, lowering.float8_events);
  });
}

void dequantize_recurrent(Lowering& lowering) {
  change_graphs(lowering, [&](Graph& graph) {
    return dequantize_recurrent_weights(graph, lowering.evaluator);
  });
}

std::int64_t node_count(const Graph& main) {
  std::int64_t count = 0;
  for (const Graph* graph : graphs_in(main)) count += graph->node_count();
  return count;
}

/// Removed nodes and values keep their memory as long as their graph, since passes may still point
/// to them. A graph of which little is left is copied: those of quantized files have four nodes for
/// each operator.
void compact(Lowering& lowering) {
  const std::int64_t nodes = lowering.result.report.passes.front().nodes_before;
  if (2 * node_count(lowering.graph()) > nodes) return;
  std::unique_ptr<Model> copy = copy_model(lowering.model);
  std::swap(lowering.model.graph, copy->graph);
}

void rewrite_graphs(Lowering& lowering) {
  lowering.result.report.rewrites = optimize(lowering.model, lowering.options.level,
                                             lowering.rewrite_options(), lowering.options.progress);
  lowering.applied = lowering.result.report.rewrites.rewrites;
  infer_shapes(lowering.model);
  compact(lowering);
}

void promote(Lowering& lowering) {
  for (Graph* graph : graphs_in(lowering.graph())) {
    promote_fp16(*graph, lowering.context.cap, lowering.result.promoted);
    if (lowering.keeps_float8) lowering.float8_products.widen(*graph, lowering.context.cap);
  }
}

/// Removes constants without consumers.
void drop_unused_constants(Lowering& lowering) {
  for (Graph* graph : graphs_in(lowering.graph())) {
    for (Value* value : graph->values()) {
      if (!value->is_constant() || !value->uses().empty()) continue;
      graph->remove_value(*value);
      ++lowering.applied;
    }
  }
}

void place_nodes(Lowering& lowering) {
  const LoweringOptions& options = lowering.options;
  lowering.result.placed =
      place(lowering.graph(), options.providers, options.strict_provider,
            options.level == OptimizeLevel::all, options.pinned, lowering.refusals);
  std::vector<RewriteEvent>& events = lowering.result.report.rewrites.events;
  events.insert(events.end(), lowering.float8_events.begin(), lowering.float8_events.end());
}

struct LoweringPass {
  LoweringPassInfo info;
  void (*run)(Lowering& lowering);
};

constexpr OptimizeLevel none = OptimizeLevel::none;
constexpr OptimizeLevel basic = OptimizeLevel::basic;
constexpr OptimizeLevel all = OptimizeLevel::all;

constexpr std::array passes = {
    LoweringPass{{"resolve-legacy-defaults",
                  "initializers that old files also list as inputs become constants", none, true},
                 [](Lowering& lowering) { resolve_legacy_defaults(lowering.model); }},
    LoweringPass{
        {freeze_defaults_name,
         "inputs with a default value become constants; a run that gives one another value "
         "uses a session without this pass",
         basic, false},
        [](Lowering& lowering) { lowering.applied = freeze_defaults(lowering.graph()); }},
    LoweringPass{{"inline-local-functions", "inlines calls of the model's functions", none, true},
                 [](Lowering& lowering) { inline_functions(lowering.model); }},
    LoweringPass{{"check-operators", "rejects unsupported operators", none, true},
                 [](Lowering& lowering) { check_operators_known(lowering.graph()); }},
    LoweringPass{{"infer-types", "infers the types and shapes of all values", none, true},
                 [](Lowering& lowering) { infer_shapes(lowering.model); }},
    LoweringPass{{"decompose-contrib", "decomposes fused operators of com.microsoft into ONNX's",
                  none, false},
                 decompose},
    LoweringPass{
        {"fold-around-quantized", "folds constants, except dequantized weights", all, false},
        fold_around_quantized},
    LoweringPass{
        {"extract-subgraphs", "hands whole subgraphs to providers that take them, such as openvino",
         none, false},
        hand_over},
    LoweringPass{
        {"fuse-qdq", "fuses DequantizeLinear, operator and QuantizeLinear into integer operators",
         all, false},
        fuse_qdq},
    LoweringPass{{"keep-quantized-weights",
                  "makes products read quantized weights instead of dequantized ones", all, false},
                 keep_weights},
    LoweringPass{
        {keep_float8_name, "leaves float8 operands of products to a provider that multiplies them",
         all, false},
        keep_float8},
    LoweringPass{{"dequantize-recurrent",
                  "dequantizes the weights of recurrent layers ahead of time", all, false},
                 dequantize_recurrent},
    LoweringPass{{rewrite_pass_name,
                  "applies the passes and rules of 'ortool optimize', for ortool's own kernels",
                  basic, false},
                 rewrite_graphs},
    LoweringPass{
        {"resolve-captures", "gives bodies their own references to captured constants", none, true},
        [](Lowering& lowering) { resolve_captures(lowering.graph()); }},
    LoweringPass{
        {"promote-fp16",
         "computes runs of float16 or bfloat16 nodes without such kernels in float32", all, false},
        promote},
    LoweringPass{{"drop-unused-constants", "frees unused constants", none, true},
                 drop_unused_constants},
    LoweringPass{{"place", "assigns each group of nodes to a provider", none, true}, place_nodes},
    LoweringPass{
        {"assign-layouts",
         "assigns memory layouts to values, and inserts Reorder nodes between them", all, false},
        [](Lowering& lowering) {
          assign_layouts(lowering.graph(), lowering.result.placed,
                         *lowering.options.providers.back());
        }},
    LoweringPass{
        {"append-depthwise",
         "computes convolutions together with the depthwise one that alone reads their result", all,
         false},
        [](Lowering& lowering) { lowering.applied = append_depthwise(lowering.result.placed); }},
};

bool runs(const LoweringPassInfo& pass, const LoweringOptions& options) {
  if (pass.is_required) return true;
  return pass.level <= options.level && !(options.is_skipped && options.is_skipped(pass.name));
}

}  // namespace

std::vector<LoweringPassInfo> describe_lowering() {
  std::vector<LoweringPassInfo> result;
  for (const LoweringPass& pass : passes) result.push_back(pass.info);
  return result;
}

LoweredModel lower(Model& model, const LoweringOptions& options, const CompileContext& context) {
  return lower(model, options, context, {});
}

LoweredModel lower(Model& model, const LoweringOptions& options, const CompileContext& context,
                   const std::function<void(const Model&)>& after_pass) {
  Lowering lowering{
      .model = model,
      .options = options,
      .context = context,
      .after_pass = after_pass,
      .evaluator = ConstantEvaluator(*options.providers.back(), context),
      .float8_products = Float8Products(options),
      .float8_evaluator = Float8Evaluator(lowering.evaluator, lowering.float8_products)};
  if (options.progress != nullptr)
    options.progress->expect(std::count_if(
        passes.begin(), passes.end(), [&](const auto& pass) { return runs(pass.info, options); }));
  for (const LoweringPass& pass : passes) {
    if (!runs(pass.info, options)) continue;
    LoweringRecord record{.name = pass.info.name, .nodes_before = node_count(lowering.graph())};
    const auto start = std::chrono::steady_clock::now();
    lowering.applied = 0;
    pass.run(lowering);
    if (after_pass) after_pass(model);
    record.applied = lowering.applied;
    record.nodes_after = node_count(lowering.graph());
    record.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    lowering.result.report.passes.push_back(record);
    if (options.progress != nullptr) options.progress->finish();
  }
  lowering.result.constants = ConstantStore::take(lowering.graph());
  return std::move(lowering.result);
}

}  // namespace ortool
