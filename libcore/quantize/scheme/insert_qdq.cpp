// QDQ writer: weights first, since their scales determine those of biases; then activations.
#include "libcore/quantize/scheme/insert_qdq.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Recreates the node with `result` as its output instead of `old`. It must not have subgraphs.
Node& let_make(Node& node, Value& old, Value& result) {
  Graph& graph = node.graph();
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i)
    inputs.push_back(node.input(i) != nullptr ? &captured_root(*node.input(i)) : nullptr);
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i)
    outputs.push_back(node.output(i) == &old ? &result : node.output(i));
  const std::string name = node.has_name_of_its_own() ? std::string(node.name()) : std::string();
  const std::string op_type(node.op_type());
  const std::string domain(node.domain());
  Notes notes = node.notes();
  std::vector<Attribute> attributes = copy_attributes(node);
  Node* const before = node.next();
  graph.remove_node(node);
  // Captures were removed with their last use.
  for (Value*& input : inputs) {
    if (input != nullptr) input = &seen_in(graph, *input);
  }
  Node& made = graph.add_node(op_type, domain, inputs, outputs, name, before);
  for (Attribute& attribute : attributes) made.set_attribute(std::move(attribute));
  if (!notes.is_empty()) made.mutable_notes() = std::move(notes);
  return made;
}

/// Weights that are quantized together: one constant along one axis.
struct WeightKey {
  const Value* value;
  std::int64_t axis;  ///< -1: one scale for all
  DataType type;

  bool operator<(const WeightKey& other) const {
    return std::tie(value, axis, type) < std::tie(other.value, other.axis, other.type);
  }
};

struct QuantizedWeight {
  std::vector<Scale> scales;
  Value* codes = nullptr;  ///< like the next two, in the graph of the original
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< null: zero
  QuantizedData made;           ///< kept while a refiner needs them
  Tensor scale_params;
  std::map<const Graph*, Value*> dequantized;  ///< by consuming graph
};

class QdqWriter {
 public:
  QdqWriter(Model& model, const QuantizePlan& plan, const PlanParams& params)
      : model_(model), plan_(plan), params_(params) {
    for (const PlannedValue& each : plan.values) group_of_.emplace(each.value, each.group);
    for (const PlannedNode& each : plan.nodes) {
      if (!each.is_quantized) continue;
      quantized_.insert(each.node);
      quantized_.insert(each.end);
    }
  }

  void run();

 private:
  WeightKey key_of(const PlannedNode& planned) const {
    return {constant_behind(planned.node->input(planned.weight_input)),
            planned.weight_axis.value_or(-1),
            planned.weight_type.value_or(params_.weights.type.type)};
  }
  WeightOptions options_of(const WeightKey& key) const;
  const Value* bias_of(const PlannedNode& planned) const;
  float input_scale_of(const PlannedNode& planned) const;
  void choose_scales(const PlannedNode& planned);
  void write_weights(const PlannedNode& planned);
  void write_codes(const PlannedNode& planned, QuantizedWeight& weight);
  void write_bias(const PlannedNode& planned, const QuantizedWeight& weight);
  void correct_added_bias(const PlannedNode& planned, const QuantizedWeight& weight);
  void write_value(const PlannedValue& planned);
  Value& dequantize(Graph& graph, Value& codes, Value& scale, Value* zero_point, Node* before);
  Value& number(Graph& graph, const std::string& key, Tensor tensor);
  Value& scale_in(Graph& graph, const GroupParams& group);
  Value* zero_point_in(Graph& graph, const GroupParams& group);
  bool takes_quantized(const Use& use) const;

  Model& model_;
  const QuantizePlan& plan_;
  const PlanParams& params_;
  std::unordered_map<const Value*, std::int64_t> group_of_;
  std::unordered_set<const Node*> quantized_;
  std::map<WeightKey, QuantizedWeight> weights_;
  std::map<std::string, Value*> numbers_made_;  ///< constants of the main graph
};

WeightOptions QdqWriter::options_of(const WeightKey& key) const {
  WeightOptions options = params_.weights;
  options.axis.reset();
  if (key.axis >= 0) options.axis = key.axis;
  options.type.type = key.type;
  return options;
}

/// The constant bias of a Conv or Gemm if it can be added to the integer sums; otherwise null.
const Value* QdqWriter::bias_of(const PlannedNode& planned) const {
  Node& node = *planned.node;
  if (node.op_type() == "MatMul" || planned.weight_input != 1) return nullptr;
  const Value* bias = constant_behind(node.input(2));
  if (bias == nullptr || bias->constant().type() != DataType::float32) return nullptr;
  const Shape& shape = constant_behind(node.input(1))->constant().shape();
  std::int64_t channels = 0;
  if (node.op_type() == "Conv") {
    channels = shape[0];
  } else if (node.op_type() == "Gemm") {
    const auto op = read_op<Gemm>(node);
    if (op.alpha != 1.0F || op.beta != 1.0F) return nullptr;
    channels = shape[op.transpose_b ? 0 : 1];
  } else {
    const Attribute* group = node.find_attribute("group");
    const bool has_groups = group != nullptr && std::get<std::int64_t>(group->value) != 1;
    if (has_groups) return nullptr;
    channels = shape[1];
  }
  const Tensor& tensor = bias->constant();
  return tensor.element_count() == channels && tensor.shape().rank() == 1 ? bias : nullptr;
}

float QdqWriter::input_scale_of(const PlannedNode& planned) const {
  const Value* input = planned.node->input(1 - planned.weight_input);
  const std::int64_t group = group_of_.at(input);
  return params_.groups[static_cast<std::size_t>(group)].scale.scale;
}

void QdqWriter::choose_scales(const PlannedNode& planned) {
  const WeightKey key = key_of(planned);
  QuantizedWeight& weight = weights_[key];
  try {
    if (weight.scales.empty())
      weight.scales = choose_weight_scales(key.value->constant(), options_of(key));
    if (const Value* bias = bias_of(planned))
      widen_for_bias(weight.scales, input_scale_of(planned), bias->constant());
  } catch (Error& error) {
    throw error.at_node(shorten(planned.node->name()), planned.node->op_type());
  }
}

Value& QdqWriter::number(Graph& graph, const std::string& key, Tensor tensor) {
  Value*& made = numbers_made_[key];
  if (made == nullptr) made = &model_.graph->add_constant("", std::move(tensor));
  return seen_in(graph, *made);
}

Value& QdqWriter::scale_in(Graph& graph, const GroupParams& group) {
  const auto bits = std::bit_cast<std::uint32_t>(group.scale.scale);
  return number(graph, "s" + std::to_string(bits), Tensor::scalar(group.scale.scale));
}

Value* QdqWriter::zero_point_in(Graph& graph, const GroupParams& group) {
  const std::string key =
      std::string(name_of(group.type.type)) + std::to_string(group.scale.zero_point);
  return &number(graph, key, make_scalar(group.type.type, group.scale.zero_point));
}

Value& QdqWriter::dequantize(Graph& graph, Value& codes, Value& scale, Value* zero_point,
                             Node* before) {
  Value& result = graph.add_value("", ValueType::tensor(DataType::float32, codes.type().shape));
  std::vector<Value*> inputs = {&codes, &scale};
  if (zero_point != nullptr) inputs.push_back(zero_point);
  Value* const outputs[] = {&result};
  graph.add_node("DequantizeLinear", "", inputs, outputs, {}, before);
  return result;
}

void QdqWriter::write_codes(const PlannedNode& planned, QuantizedWeight& weight) {
  const WeightKey key = key_of(planned);
  Value& original = const_cast<Value&>(*key.value);
  Graph& owner = original.graph();
  const WeightOptions options = options_of(key);
  QuantizedData made =
      quantize_with(original.constant(), weight.scales, options.axis, options.type, params_.cap);
  if (params_.refiner != nullptr) made = params_.refiner->round(planned, std::move(made));
  made.data = kept(std::move(made.data), params_.store);
  if (params_.refiner != nullptr) weight.made = made;
  weight.scale_params = made.scales;
  weight.codes = &owner.add_constant("", std::move(made.data));
  weight.scale = &owner.add_constant("", std::move(made.scales));
  const bool is_zero = std::all_of(weight.scales.begin(), weight.scales.end(),
                                   [](const Scale& each) { return each.zero_point == 0; });
  const std::string zero_key = std::string(name_of(options.type.type)) + "x" +
                               std::to_string(made.zero_points.element_count());
  if (is_zero && made.zero_points.shape().rank() == 1) {
    weight.zero_point = &number(owner, zero_key, std::move(made.zero_points));
  } else {
    weight.zero_point = &owner.add_constant("", std::move(made.zero_points));
  }
}

void QdqWriter::write_weights(const PlannedNode& planned) {
  Node& node = *planned.node;
  Graph& graph = node.graph();
  const WeightKey key = key_of(planned);
  QuantizedWeight& weight = weights_.at(key);
  if (weight.codes == nullptr) write_codes(planned, weight);
  Value*& seen = weight.dequantized[&graph];
  if (seen == nullptr) {
    seen = &dequantize(graph, seen_in(graph, *weight.codes), seen_in(graph, *weight.scale),
                       &seen_in(graph, *weight.zero_point), &node);
    if (key.axis >= 0) set_attribute(*seen->producer(), "axis", key.axis);
  }
  write_bias(planned, weight);
  correct_added_bias(planned, weight);
  graph.set_input(node, planned.weight_input, seen);
}

void QdqWriter::write_bias(const PlannedNode& planned, const QuantizedWeight& weight) {
  const Value* bias = bias_of(planned);
  if (bias == nullptr) return;
  Node& node = *planned.node;
  Graph& graph = node.graph();
  Tensor scales = bias_scales(input_scale_of(planned), weight.scale_params);
  Tensor corrected = bias->constant();
  if (params_.refiner != nullptr)
    corrected = params_.refiner->correct(planned, corrected, weight.made);
  Tensor params = quantize_bias(corrected, scales, params_.cap);
  const bool is_list = scales.shape().rank() == 1;
  Value& codes = graph.add_constant("", std::move(params));
  Value& scale = graph.add_constant("", std::move(scales));
  Value& seen = dequantize(graph, codes, scale, nullptr, &node);
  if (is_list) set_attribute(*seen.producer(), "axis", 0);
  graph.set_input(node, 2, &seen);
}

/// The bias added after a matrix product stays in float.
void QdqWriter::correct_added_bias(const PlannedNode& planned, const QuantizedWeight& weight) {
  const bool can_have = params_.refiner != nullptr && planned.node->op_type() == "MatMul" &&
                        planned.weight_input == 1 && planned.end != planned.node;
  Node* const adder = can_have ? only_consumer(*planned.node->output(0)) : nullptr;
  if (adder == nullptr || adder->op_type() != "Add") return;
  const std::optional<std::int64_t> operand = constant_operand(*adder);
  if (!operand) return;
  const Tensor& bias = constant_behind(adder->input(*operand))->constant();
  const Shape& shape = bias.shape();
  const bool is_row = bias.type() == DataType::float32 && shape.rank() > 0 &&
                      shape[shape.rank() - 1] == bias.element_count();
  if (!is_row) return;
  Tensor corrected = params_.refiner->correct(planned, bias, weight.made);
  Graph& graph = adder->graph();
  graph.set_input(*adder, *operand, &graph.add_constant("", std::move(corrected)));
}

/// Whether the consumer is a quantized node that expects this input quantized.
bool QdqWriter::takes_quantized(const Use& use) const {
  if (use.kind != Use::Kind::input || !quantized_.contains(use.node)) return false;
  const QuantizeRole role = quantize_role(*use.node);
  if (use.index == 0 || role == QuantizeRole::sum || role == QuantizeRole::concat) return true;
  return role == QuantizeRole::product && use.index < 2;
}

void QdqWriter::write_value(const PlannedValue& planned) {
  Value& value = *planned.value;
  Graph& graph = value.graph();
  const GroupParams& group = params_.groups[static_cast<std::size_t>(planned.group)];
  Node* const producer = value.producer();
  const bool is_made_quantized = producer != nullptr && quantized_.contains(producer);
  Value* source = &value;
  Node* before = producer != nullptr ? producer->next() : graph.first_node();
  if (is_made_quantized) {
    source = &graph.add_value("", value.type());
    quantized_.insert(&let_make(*producer, value, *source));
  }
  Value* codes = nullptr;
  if (planned.is_weight) {
    const Scale scale = group.scale;
    QuantizedData made = quantize_with(constant_behind(&value)->constant(), {&scale, 1},
                                       std::nullopt, group.type, params_.cap);
    codes = &graph.add_constant("", kept(std::move(made.data), params_.store));
  } else {
    codes = &graph.add_value("", ValueType::tensor(group.type.type, value.type().shape));
    Value* const inputs[] = {source, &scale_in(graph, group), zero_point_in(graph, group)};
    Value* const outputs[] = {codes};
    graph.add_node("QuantizeLinear", "", inputs, outputs, {}, before);
  }
  if (is_made_quantized) {
    Value* const inputs[] = {codes, &scale_in(graph, group), zero_point_in(graph, group)};
    Value* const outputs[] = {&value};
    graph.add_node("DequantizeLinear", "", inputs, outputs, {}, before);
    return;
  }
  const std::vector<Use> uses(value.uses().begin(), value.uses().end());
  Value& result =
      dequantize(graph, *codes, scale_in(graph, group), zero_point_in(graph, group), before);
  for (const Use& use : uses) {
    if (takes_quantized(use)) graph.set_input(*use.node, use.index, &result);
  }
}

void QdqWriter::run() {
  // All scales first: nodes that share weights must agree on them.
  for (const PlannedNode& planned : plan_.nodes) {
    if (planned.is_quantized && planned.weight_input >= 0) choose_scales(planned);
  }
  for (const PlannedNode& planned : plan_.nodes) {
    if (planned.is_quantized && planned.weight_input >= 0) write_weights(planned);
  }
  for (const PlannedValue& planned : plan_.values) write_value(planned);
  drop_unread_constants(model_);
}

}  // namespace

void drop_unread_constants(Model& model) {
  std::vector<Graph*> graphs = graphs_in(*model.graph);
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    for (Value* value : (*graph)->values()) {
      if (value->is_constant() && value->uses().empty()) (*graph)->remove_value(*value);
    }
  }
}

void insert_qdq(Model& model, const QuantizePlan& plan, const PlanParams& params) {
  QdqWriter(model, plan, params).run();
}

}  // namespace ortool
