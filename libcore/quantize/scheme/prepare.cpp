// Model preparation: a session's steps, except those whose results only a session can run.
#include "libcore/quantize/scheme/prepare.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/freeze_defaults.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/early_use.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decompose_contrib.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/precision/convert_float32.hpp"
#include "libcore/optimize/surgery/import_missing_domains.hpp"
#include "libcore/optimize/target/target.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/quantize_role.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"

namespace ortool {
namespace {

/// The maximum growth of the file per folded node.
constexpr std::int64_t max_folded_bytes = std::int64_t{64} << 10;
/// Turns tensors of Constant nodes into constants, regardless of size.
void take_constants(Graph& graph) {
  for (Node& node : graph.nodes()) {
    if (!node.domain().empty() || node.op_type() != "Constant") continue;
    const Attribute* attribute = node.find_attribute("value");
    if (attribute == nullptr || attribute->kind() != AttributeKind::tensor) continue;
    Value& output = *node.output(0);
    if (output.is_graph_output()) continue;
    Tensor tensor = std::get<Tensor>(attribute->value);
    graph.remove_node(node);
    graph.set_constant(output, std::move(tensor));
  }
}

/// Whether weights of LSTM, GRU or RNN are 16-bit floats: these nodes keep their type.
bool has_fp16_recurrent_weights(const Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Node& node : graph->nodes()) {
      if (!is_recurrent(node)) continue;
      const Value* weights = node.input_count() > 1 ? constant_behind(node.input(1)) : nullptr;
      const DataType type = weights != nullptr ? weights->constant().type() : DataType::undefined;
      if (type == DataType::float16 || type == DataType::bfloat16) return true;
    }
  }
  return false;
}

std::int64_t min_opset_for(const Model& model, const std::vector<DataType>& types,
                           const PrepareOptions& options) {
  const bool has_fp16 = std::any_of(types.begin(), types.end(),
                                    [](DataType type) { return type != DataType::float64; });
  const bool needs_fp16_scales =
      (has_fp16 && !options.in_float32) || has_fp16_recurrent_weights(model);
  if (!needs_fp16_scales) return options.min_opset;
  return std::max(options.min_opset, opset_of_type("QuantizeLinear", "y_scale", DataType::float16));
}

/// Whether a node reads constant floats of the kind that is quantized.
bool has_weights(const Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Node& node : graph->nodes()) {
      if (is_table_in_floats(node)) return true;
      if (!is_recurrent(node) && quantize_role(node) != QuantizeRole::product) continue;
      for (std::int64_t i = 0; i < node.input_count(); ++i) {
        const Value* weights = constant_behind(node.input(i));
        if (weights != nullptr && is_floating_point(weights->constant().type())) return true;
      }
    }
  }
  return false;
}

bool can_have_opset(const Model& model, std::int64_t opset) {
  const std::unique_ptr<Model> trial = copy_model(model);
  infer_shapes(*trial);
  try {
    convert_opset(*trial, opset);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// The opset to convert to: `least`, or a later one when a node has no form in `least`. If there is
/// none at all, `least`, and the conversion reports why.
std::int64_t reachable_opset(const Model& model, std::int64_t least) {
  const std::int64_t early = opset_of_early_uses(model);
  if (early > least && can_have_opset(model, early)) return early;
  for (std::int64_t opset = least; opset <= newest_opset; ++opset) {
    if (can_have_opset(model, opset)) return opset;
  }
  return least;
}

void raise_opset(Model& model, std::int64_t opset, const PrepareOptions& options) {
  const std::int64_t now = model.opset("");
  if (now >= opset) return;
  opset = reachable_opset(model, opset);
  if (options.fallback_opset > 0 && !can_have_opset(model, opset)) {
    opset = std::max(now, options.fallback_opset);
    if (now >= opset) return;
  }
  try {
    convert_opset(model, opset);
  } catch (const Error& error) {
    Error told(error.code(), "quantized, it needs a later opset: " + error.message(),
               format("per-channel scales need opset 13, and {} needs 10; {} lists all nodes",
                      setting_name("per-tensor"), setting_name("json")));
    told.with_id(error.id());
    for (const Error& part : error.parts()) told.add_part(part);
    throw told;
  }
}

/// Raises the opset of a model with weights to quantize; types are inferred again afterward.
void raise_for_weights(Model& model, const std::vector<DataType>& types,
                       const PrepareOptions& options) {
  if (!has_weights(model)) return;
  const std::int64_t before = model.opset("");
  raise_opset(model, min_opset_for(model, types, options), options);
  if (model.opset("") != before) infer_shapes(model);
}

struct Count {
  std::int64_t nodes = 0;
  std::int64_t weights = 0;
};

Count count(const Model& model) {
  Count result;
  for (const Graph* graph : graphs_in(*model.graph)) {
    result.nodes += graph->node_count();
    for (const Value* value : graph->values()) {
      if (value->is_constant() && is_floating_point(value->constant().type())) ++result.weights;
    }
  }
  return result;
}

/// Horizontally fused products would share a scale; and a batched product is one node between int8
/// values, whereas a Gemm needs Reshapes around it.
bool suits_quantization(std::string_view pass) {
  return pass != "fuse-horizontal-matmul" && pass != "fuse-matmul-add-reshape";
}

/// Fused operators of com.microsoft hide products by weights: they are taken apart, and what is
/// left of them becomes other operators of com.microsoft.
void separate_products(Model& model) {
  if (decompose_products(model) == 0) return;
  infer_shapes(model);
  write_for_onnxruntime(model);
}

}  // namespace

Preparation prepare_model(Model& model, const PrepareOptions& options) {
  Progress progress(options.on_step, "preparing");
  Preparation preparation;
  const Count before = count(model);
  import_missing_domains(model);
  resolve_legacy_defaults(model);
  preparation.constant_inputs = freeze_defaults(*model.graph);
  inline_functions(model);
  for (Graph* graph : graphs_in(*model.graph)) take_constants(*graph);
  infer_shapes(model);
  separate_products(model);
  const std::vector<DataType> types = product_types(model);
  preparation.opset_before = model.opset("");
  raise_for_weights(model, types, options);
  if (options.in_float32 && !types.empty()) {
    convert_to_float32(model, types);
    infer_shapes(model);
    preparation.types_converted = types;
  }
  preparation.model_evidence = find_model_evidence(model);
  if (options.is_optimized) {
    Workers alone(options.stop);
    std::unique_ptr<Workers> shared;
    if (options.pool != nullptr) {
      shared = std::make_unique<Workers>(*options.pool, options.pool->size(), options.stop);
    }
    const CompileContext context{.workers = shared ? *shared : alone, .cap = options.cap};
    ConstantEvaluator evaluator(*options.provider, context);
    RewriteOptions rewriting;
    rewriting.evaluator = &evaluator;
    rewriting.fold_limits.tensor_bytes = max_folded_bytes;
    rewriting.fold_limits.keeps_dequantized = true;
    rewriting.cap = options.cap;
    rewriting.stop = options.stop;
    rewriting.is_chosen = suits_quantization;
    preparation.rewrites = optimize(model, OptimizeLevel::extended, rewriting, &progress).rewrites;
    infer_shapes(model);
    // Nodes that generated weights have been folded into constants.
    raise_for_weights(model, types, options);
  }
  preparation.opset_after = model.opset("");
  drop_unread_constants(model);
  update_model_evidence(model, preparation.model_evidence);
  const Count after = count(model);
  preparation.nodes_before = before.nodes;
  preparation.nodes_after = after.nodes;
  preparation.weights_before = before.weights;
  preparation.weights_after = after.weights;
  return preparation;
}

}  // namespace ortool
