// Dynamic quantization of one product at a time; bias and activation stay float nodes.
#include "libcore/quantize/scheme/dynamic.hpp"

#include <map>
#include <tuple>

#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/optimize/precision/quantized_product.hpp"
#include "libcore/quantize/scheme/dynamic_lstm.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/node_writer.hpp"

namespace ortool {
namespace {

/// A value quantized at run time, with its scale and zero point.
struct DynamicQuantized {
  Value* codes = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;
};

struct StoredFactor {
  Value* codes = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;
};

class DynamicWriter {
 public:
  DynamicWriter(const WeightOptions& weights, MemoryCap* cap, QuantizedWeightStore* store)
      : weights_(weights), cap_(cap), store_(store), lstms_(weights, cap, store) {}

  /// Empty, or the reason why the node stays in float.
  std::string write(PlannedNode& planned);

 private:
  const DynamicQuantized& codes_of_value(Graph& graph, Value& value);
  const StoredFactor& store(Value& weights, std::optional<std::int64_t> axis, bool is_transposed,
                            std::int64_t axes_behind);
  Value& scaled(Graph& graph, Node& node, const DynamicQuantized& input, const StoredFactor& factor,
                std::string_view op_type);
  void replace(Node& node, Value& sums, Value* bias);

  const WeightOptions& weights_;
  MemoryCap* cap_;
  QuantizedWeightStore* store_;
  DynamicLstmWriter lstms_;
  std::map<const Value*, DynamicQuantized> values_;
  std::map<std::tuple<const Value*, std::int64_t, bool>, StoredFactor> factors_;
};

const DynamicQuantized& DynamicWriter::codes_of_value(Graph& graph, Value& value) {
  DynamicQuantized& made = values_[&value];
  if (made.codes != nullptr) return made;
  Node* const before = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
  const Node& node = NodeWriter(graph, before).add_node("DynamicQuantizeLinear", {&value}, 3);
  made = {node.output(0), node.output(1), node.output(2)};
  return made;
}

/// The weights as the right operand; `axes_behind` is the number of axes of the result after the
/// channel axis.
const StoredFactor& DynamicWriter::store(Value& weights, std::optional<std::int64_t> axis,
                                         bool is_transposed, std::int64_t axes_behind) {
  StoredFactor& stored = factors_[{&weights, axis.value_or(-1), is_transposed}];
  if (stored.codes != nullptr) return stored;
  WeightOptions options = weights_;
  options.axis = axis;
  QuantizedData made = quantize_weights(weights.constant(), options, cap_);
  Graph& graph = weights.graph();
  stored.codes = &graph.add_constant(
      "", kept(is_transposed ? transposed_bytes(made.data, cap_) : std::move(made.data), store_));
  Tensor scales = std::move(made.scales);
  if (scales.shape().rank() == 1 && axes_behind > 0) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(axes_behind) + 1, 1);
    sizes.front() = scales.element_count();
    scales = scales.reshaped(Shape(sizes));
  }
  stored.scales = &graph.add_constant("", std::move(scales));
  stored.zero_points = &graph.add_constant("", std::move(made.zero_points));
  return stored;
}

/// The integer product, cast to float and scaled.
Value& DynamicWriter::scaled(Graph& graph, Node& node, const DynamicQuantized& input,
                             const StoredFactor& factor, std::string_view op_type) {
  const NodeWriter writer(graph, &node);
  std::vector<Value*> inputs = {input.codes, &seen_in(graph, *factor.codes), input.zero_point};
  if (weights_.type.type != DataType::int8 || !weights_.type.is_symmetric)
    inputs.push_back(&seen_in(graph, *factor.zero_points));
  Value& sums = writer.add(op_type, inputs);
  if (op_type == "ConvInteger") {
    for (Attribute& attribute : copy_attributes(node))
      sums.producer()->set_attribute(std::move(attribute));
  }
  Value& floats = writer.add("Cast", {&sums});
  NodeWriter::set(floats, "to", static_cast<std::int64_t>(DataType::float32));
  Value& scale = writer.add("Mul", {input.scale, &seen_in(graph, *factor.scales)});
  return writer.add("Mul", {&floats, &scale});
}

/// Replaces the node's result by the scaled sums plus bias.
void DynamicWriter::replace(Node& node, Value& sums, Value* bias) {
  Graph& graph = node.graph();
  Value& result = *node.output(0);
  Node* const before = node.next();
  Node& last = *sums.producer();
  std::vector<Value*> inputs;
  std::string_view op_type = "Add";
  // Captures disappear with their last use, the captured values do not.
  if (bias != nullptr) bias = &captured_root(*bias);
  graph.remove_node(node);
  if (bias != nullptr) {
    inputs = {&sums, &seen_in(graph, *bias)};
  } else {
    op_type = "Mul";
    inputs = {last.input(0), last.input(1)};
    graph.remove_node(last);
    graph.remove_value(sums);
  }
  Value* const outputs[] = {&result};
  graph.add_node(op_type, "", inputs, outputs, {}, before);
}

std::string DynamicWriter::write(PlannedNode& planned) {
  Node& node = *planned.node;
  Graph& graph = node.graph();
  if (node.op_type() == "LSTM") return lstms_.write(planned);
  if (planned.weight_input != 1) return "its weights are the left factor";
  Value& weights = *constant_behind(node.input(1));
  const std::int64_t rank = weights.constant().shape().rank();
  Value& input = *node.input(0);
  if (node.op_type() == "MatMul") {
    if (rank != 2) return "its weights are not a matrix";
    const StoredFactor& factor = store(weights, planned.weight_axis, false, 0);
    replace(node, scaled(graph, node, codes_of_value(graph, input), factor, "MatMulInteger"),
            nullptr);
    return {};
  }
  if (node.op_type() == "Gemm") {
    const auto op = read_op<Gemm>(node);
    if (op.transpose_a || op.alpha != 1.0F || op.beta != 1.0F)
      return "it scales or transposes its input";
    const StoredFactor& factor = store(weights, planned.weight_axis, op.transpose_b, 0);
    replace(node, scaled(graph, node, codes_of_value(graph, input), factor, "MatMulInteger"),
            node.input(2));
    return {};
  }
  if (node.op_type() != "Conv") return "there is no operator for it";
  const StoredFactor& factor = store(weights, planned.weight_axis, false, rank - 2);
  Value& sums = scaled(graph, node, codes_of_value(graph, input), factor, "ConvInteger");
  Value* bias = node.input(2);
  if (bias != nullptr) {
    Value* const constant = constant_behind(bias);
    if (constant == nullptr) return "its bias is computed";
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank) - 1, 1);
    sizes.front() = constant->constant().element_count();
    bias = &graph.add_constant("", constant->constant().reshaped(Shape(sizes)));
  }
  replace(node, sums, bias);
  return {};
}

}  // namespace

std::int64_t quantize_dynamically(Model& model, QuantizePlan& plan, const WeightOptions& weights,
                                  MemoryCap* cap, QuantizedWeightStore* store) {
  DynamicWriter writer(weights, cap, store);
  std::int64_t replaced = 0;
  for (PlannedNode& planned : plan.nodes) {
    if (!planned.is_quantized) continue;
    if (planned.role != QuantizeRole::product) {
      planned.is_quantized = false;
      planned.reason = "only matrix products are quantized dynamically";
      continue;
    }
    const std::string name(planned.node->name());
    const std::string op_type(planned.node->op_type());
    try {
      planned.reason = writer.write(planned);
    } catch (Error& error) {
      throw error.at_node(shorten(name), op_type);
    }
    planned.is_quantized = planned.reason.empty();
    replaced += planned.is_quantized ? 1 : 0;
  }
  drop_unread_constants(model);
  return replaced;
}

}  // namespace ortool
