// Follows float values between quantizing and dequantizing nodes.
#include "libcore/inspect/quantization.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {
namespace {

constexpr std::string_view quantize = "QuantizeLinear";
constexpr std::string_view dequantize = "DequantizeLinear";
constexpr std::string_view dynamic_quantize = "DynamicQuantizeLinear";

/// The position of a quantized tensor in an integer operator: the index of the input, or -1 for its
/// first output, with the inputs of its scale and zero point.
struct ScaledOperand {
  std::string_view op_type;
  std::int64_t tensor;
  std::int64_t scale;
  std::int64_t zero_point;
};

constexpr std::array<ScaledOperand, 8> scaled_operands = {{
    {quantize, -1, 1, 2},
    {dequantize, 0, 1, 2},
    {"QLinearConv", 0, 1, 2},
    {"QLinearConv", 3, 4, 5},
    {"QLinearConv", -1, 6, 7},
    {"QLinearMatMul", 0, 1, 2},
    {"QLinearMatMul", 3, 4, 5},
    {"QLinearMatMul", -1, 6, 7},
}};

bool is_integer_operator(std::string_view op_type) {
  return op_type.starts_with("QLinear") || op_type.ends_with("Integer");
}

/// An elementwise activation, which is fused with the node before it.
bool is_activation(const Node& node) {
  const QuantizeRole role = traits_of(node).role;
  return role == QuantizeRole::clip || role == QuantizeRole::function;
}

bool is_float(const Value& value) {
  return value.type().is_tensor() && is_floating_point(value.type().element);
}

/// Whether it is the same in each run: an initializer or a Constant node's output.
bool is_fixed(const Value& value) {
  const Value& source = captured_root(value);
  return source.is_constant() ||
         (source.producer() != nullptr && source.producer()->op_type() == "Constant");
}

const Tensor* tensor_behind(const Value* value) {
  if (value == nullptr) return nullptr;
  const Value& source = captured_root(*value);
  if (!source.constant().is_empty()) return &source.constant();
  const Node* producer = source.producer();
  if (producer == nullptr || producer->op_type() != "Constant") return nullptr;
  const Attribute* attribute = producer->find_attribute("value");
  return attribute != nullptr ? std::get_if<Tensor>(&attribute->value) : nullptr;
}

/// An operator of ONNX Runtime that computes floats with 8-bit arithmetic. MatMulNBits may do so
/// with accuracy_level 4: ONNX Runtime then quantizes its input to 8 bits.
bool is_contrib_operator(const Node& node) {
  if (node.domain() != contrib_domain) return false;
  if (node.op_type() == "DynamicQuantizeLSTM") return true;
  constexpr std::int64_t bytes = 4;
  return node.op_type() == "MatMulNBits" && integer_attribute(node, "accuracy_level", 0) == bytes;
}

const Node* producer_of(const Value& value) {
  return captured_root(value).producer();
}

class GraphReadout {
 public:
  GraphReadout(const Graph& graph, QuantizationReadout& result) : graph_(graph), result_(result) {}
  void run();

 private:
  enum class Kind { other, boundary, quantized, floating };

  void add_tensors(const Node& node);
  void add_pairs_and_unpaired(const Node& node);
  Kind classify(const Node& node) const;
  bool reads_quantized(const Node& node) const;
  bool is_quantized_after(const Value& value, bool may_pass_activation) const;
  std::string why_float(const Node& node) const;
  void find_float_subgraphs();
  Kind kind_of(const Node* node) const {
    const auto found = node != nullptr ? kinds_.find(node) : kinds_.end();
    return found != kinds_.end() ? found->second : Kind::other;
  }

  const Graph& graph_;
  QuantizationReadout& result_;
  std::unordered_map<const Node*, Kind> kinds_;
  std::set<std::pair<const Value*, const Value*>> seen_;
};

void GraphReadout::add_tensors(const Node& node) {
  for (const ScaledOperand& operand : scaled_operands) {
    if (operand.op_type != node.op_type()) continue;
    const Value* value = operand.tensor < 0 ? node.output(0) : node.input(operand.tensor);
    const Value* scale = node.input(operand.scale);
    if (value == nullptr || scale == nullptr) continue;
    value = &captured_root(*value);
    if (!seen_.emplace(value, &captured_root(*scale)).second) continue;
    QuantizedTensor tensor;
    tensor.value = value;
    tensor.node = &node;
    tensor.role =
        is_fixed(*value) ? QuantizedTensor::Role::weight : QuantizedTensor::Role::activation;
    tensor.type = value->type().element;
    if (const Tensor* stored = tensor_behind(value)) tensor.type = stored->type();
    tensor.scale = tensor_behind(scale);
    tensor.has_zero_point = node.input(operand.zero_point) != nullptr;
    tensor.zero_point = tensor_behind(node.input(operand.zero_point));
    const bool has_axis = node.op_type() == quantize || node.op_type() == dequantize;
    if (tensor.scale_count() > 1 || (tensor.scale != nullptr && tensor.scale->shape().rank() > 0 &&
                                     tensor.scale->element_count() != 1)) {
      tensor.axis = has_axis                          ? integer_attribute(node, "axis", 1)
                    : node.op_type() == "QLinearConv" ? 0
                                                      : -1;
    }
    tensor.block_size = has_axis ? integer_attribute(node, "block_size", 0) : 0;
    result_.tensors.push_back(tensor);
  }
}

void GraphReadout::add_pairs_and_unpaired(const Node& node) {
  if (node.op_type() == quantize && node.output(0) != nullptr) {
    bool has_dequantize = false;
    bool has_consumer = false;
    for (const Use& use : node.output(0)->uses()) {
      has_consumer = true;
      has_dequantize = has_dequantize || (use.node != nullptr && use.node->op_type() == dequantize);
    }
    if (has_dequantize) ++result_.pairs;
    if (!has_consumer) result_.unpaired.push_back({&node, "nothing reads its output"});
    return;
  }
  if (node.op_type() != dequantize || node.input(0) == nullptr || node.output(0) == nullptr) return;
  if (node.output(0)->uses().empty()) {
    result_.unpaired.push_back({&node, "nothing reads its output"});
    return;
  }
  const Value& input = *node.input(0);
  const Node* producer = producer_of(input);
  if (is_fixed(input) || producer == nullptr) return;
  const bool is_partner = producer->op_type() == quantize ||
                          producer->op_type() == dynamic_quantize ||
                          is_integer_operator(producer->op_type()) ||
                          !is_float(input);  // an operator that moves integers
  if (!is_partner) {
    result_.unpaired.push_back({&node, format("its input comes from {} ({})",
                                              quote(producer->name(), 60), producer->op_type())});
  }
}

/// Whether all non-constant float inputs of the node are dequantized.
bool GraphReadout::reads_quantized(const Node& node) const {
  bool has_dequantized = false;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr) continue;
    const Node* producer = producer_of(*input);
    if (producer != nullptr && producer->op_type() == dequantize) {
      has_dequantized = true;
    } else if (is_float(*input) && !is_fixed(*input)) {
      return false;
    }
  }
  return has_dequantized;
}

/// Whether the only consumers are QuantizeLinear, or an activation whose only consumers they are.
bool GraphReadout::is_quantized_after(const Value& value, bool may_pass_activation) const {
  if (value.uses().empty()) return false;
  for (const Use& use : value.uses()) {
    if (use.node == nullptr || use.kind != Use::Kind::input) return false;
    if (use.node->op_type() == quantize) continue;
    const bool passes = may_pass_activation && value.uses().size() == 1 &&
                        is_activation(*use.node) && use.node->output(0) != nullptr &&
                        is_quantized_after(*use.node->output(0), false);
    if (!passes) return false;
  }
  return true;
}

GraphReadout::Kind GraphReadout::classify(const Node& node) const {
  const std::string_view op_type = node.op_type();
  if (op_type == quantize || op_type == dequantize || op_type == dynamic_quantize) {
    return Kind::boundary;
  }
  if (is_integer_operator(op_type) || is_contrib_operator(node)) return Kind::quantized;
  bool computes_floats = false;
  bool has_changing_input = false;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    computes_floats = computes_floats || (node.output(i) != nullptr && is_float(*node.output(i)));
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    has_changing_input =
        has_changing_input || (node.input(i) != nullptr && !is_fixed(*node.input(i)));
  }
  if (!computes_floats || !has_changing_input) return Kind::other;
  bool is_quantized = reads_quantized(node);
  for (std::int64_t i = 0; is_quantized && i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    is_quantized = output == nullptr || !is_float(*output) || is_quantized_after(*output, true);
  }
  if (is_quantized) return Kind::quantized;
  // The activation after a quantized node is part of it.
  const Node* before = node.input(0) != nullptr ? producer_of(*node.input(0)) : nullptr;
  const bool is_tail = kind_of(before) == Kind::quantized && node.output(0) != nullptr &&
                       is_quantized_after(*node.output(0), false);
  return is_tail ? Kind::quantized : Kind::floating;
}

std::string GraphReadout::why_float(const Node& node) const {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr || !is_float(*input) || is_fixed(*input)) continue;
    const Node* producer = producer_of(*input);
    if (producer == nullptr) return format("input {} is a float", quote(input->name(), 60));
    if (producer->op_type() != dequantize) {
      return format("input {} is a float from {} ({})", quote(input->name(), 60),
                    quote(producer->name(), 60), producer->op_type());
    }
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    if (output == nullptr || !is_float(*output)) continue;
    for (const Use& use : output->uses()) {
      if (use.node == nullptr)
        return format("output {} is a float output of the model", quote(output->name(), 60));
      if (use.node->op_type() != quantize) {
        return format("output {} goes to {} ({}) without {}", quote(output->name(), 60),
                      quote(use.node->name(), 60), use.node->op_type(), quantize);
      }
    }
  }
  return "none of its operands is quantized";
}

/// Connected float nodes, with quantized values at their inputs and outputs.
void GraphReadout::find_float_subgraphs() {
  std::unordered_map<const Node*, std::size_t> group_of;
  std::vector<std::vector<const Node*>> groups;
  for (const Node& node : graph_.nodes()) {
    if (kind_of(&node) != Kind::floating) continue;
    std::size_t group = groups.size();
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Node* before = node.input(i) != nullptr ? producer_of(*node.input(i)) : nullptr;
      const auto found = group_of.find(before);
      if (found == group_of.end() || found->second == group) continue;
      if (group == groups.size()) {
        group = found->second;
        continue;
      }
      // Two groups meet here; the smaller one is merged into the larger.
      std::size_t from = found->second;
      if (groups[from].size() > groups[group].size()) std::swap(from, group);
      for (const Node* moved : groups[from]) group_of[moved] = group;
      groups[group].insert(groups[group].end(), groups[from].begin(), groups[from].end());
      groups[from].clear();
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(&node);
    group_of[&node] = group;
  }
  for (std::vector<const Node*>& group : groups) {
    bool has_way_in = false;
    bool has_way_out = false;
    for (const Node* node : group) {
      for (std::int64_t i = 0; i < node->input_count(); ++i) {
        const Value* input = node->input(i);
        const Node* before = input != nullptr ? producer_of(*input) : nullptr;
        has_way_in = has_way_in || (before != nullptr && before->op_type() == dequantize &&
                                    before->input(0) != nullptr && !is_fixed(*before->input(0)));
      }
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        if (node->output(i) == nullptr) continue;
        for (const Use& use : node->output(i)->uses()) {
          has_way_out =
              has_way_out || (use.node != nullptr && (use.node->op_type() == quantize ||
                                                      use.node->op_type() == dynamic_quantize));
        }
      }
    }
    if (!has_way_in || !has_way_out) continue;
    std::sort(group.begin(), group.end(),
              [](const Node* a, const Node* b) { return a->id() < b->id(); });
    std::string reason = why_float(*group.front());
    result_.float_subgraphs.push_back({std::move(group), std::move(reason)});
  }
}

void GraphReadout::run() {
  for (const Node& node : graph_.nodes()) {
    if (node.domain().empty()) {
      add_tensors(node);
      add_pairs_and_unpaired(node);
    }
    const Kind kind = classify(node);
    kinds_[&node] = kind;
    if (kind == Kind::quantized) ++result_.quantized_nodes;
    if (kind == Kind::floating) ++result_.float_nodes;
  }
  find_float_subgraphs();
}

bool has_quantized_operator(const Model& model) {
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      const std::string_view op_type = node.op_type();
      const bool is_one = op_type == quantize || op_type == dequantize ||
                          op_type == dynamic_quantize || is_integer_operator(op_type);
      if ((node.domain().empty() && is_one) || is_contrib_operator(node)) return true;
    }
  }
  return false;
}

}  // namespace

bool is_quantized(const Model& model) {
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      if (is_contrib_operator(node) || has_trait(node, OpTrait::quantized)) return true;
    }
  }
  return false;
}

QuantizationReadout read_quantization(const Model& model) {
  QuantizationReadout result;
  if (!has_quantized_operator(model)) return result;
  for (const Graph* graph : graphs_in(model)) GraphReadout(*graph, result).run();
  return result;
}

}  // namespace ortool
