// Float16 conversion: a node reads float16 inputs, and its results are cast back if needed.
#include "libcore/optimize/precision/convert_float16.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr double largest_fp16 = 65504;
/// Half of the smallest positive number: smaller values round to zero.
constexpr double smallest_fp16 = 2.98e-8;

/// Nodes that keep their type: results with a type of their own, or insufficient precision in 16
/// bits.
bool is_kept(const Node& node) {
  return has_trait(node, OpTrait::own_result_type) || has_trait(node, OpTrait::needs_float32);
}

bool is_float32(const Value* value) {
  return value != nullptr && value->type().is_tensor() &&
         (value->is_constant() ? value->constant().type() : element_of(*value)) ==
             DataType::float32;
}

/// Of the finite elements of a float32 tensor.
double largest_magnitude(const Tensor& tensor) {
  const Tensor aligned = tensor.aligned();
  float most = 0;
  for (const float element : aligned.data<float>()) {
    if (std::isfinite(element)) most = std::max(most, std::abs(element));
  }
  return static_cast<double>(most);
}

Attribute cast_to(DataType type) {
  Attribute attribute;
  attribute.name = "to";
  attribute.value = static_cast<std::int64_t>(type);
  return attribute;
}

class Float16Conversion {
 public:
  Float16Conversion(Graph& graph, const std::function<std::string(const Node&)>& keeps)
      : graph_(graph), keeps_(keeps) {}

  /// Producers are visited before consumers, so that outer float16 values exist when bodies capture
  /// them.
  Float16Report run() {
    for (Graph* graph : graphs_in(graph_)) convert_graph(*graph);
    cast_back();
    return std::move(report_);
  }

 private:
  void convert_graph(Graph& graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) {
      const std::vector<bool> slots = fp16_inputs(node);
      if (std::find(slots.begin(), slots.end(), true) == slots.end()) continue;
      const std::string reason = reason_to_keep(node, slots);
      if (reason.empty()) {
        nodes.push_back(&node);
      } else {
        report_.kept.push_back({std::string(node.name()), reason});
      }
    }
    for (Node* node : nodes) {
      report_.nodes.emplace_back(node->name());
      convert(*node);
    }
    report_.converted += static_cast<std::int64_t>(nodes.size());
  }

  /// For each input, whether it is float32 and may be float16; empty when the node has no such
  /// form.
  std::vector<bool> fp16_inputs(const Node& node) const {
    std::vector<bool> slots(static_cast<std::size_t>(node.input_count()));
    const OpEntry* entry = node.domain().empty() ? find_op("", node.op_type()) : nullptr;
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version == nullptr || !node.subgraphs().empty() || is_kept(node)) return slots;
    bool makes_floats = false;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (!is_float32(node.output(i))) continue;
      makes_floats = true;
      if (!allows_fp16(*version, OpVersion::formal_at(version->outputs, i))) return slots;
    }
    if (!makes_floats) return slots;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Formal* formal = OpVersion::formal_at(version->inputs, i);
      slots[static_cast<std::size_t>(i)] =
          is_float32(node.input(i)) && allows_fp16(*version, formal);
    }
    return slots;
  }

  static bool allows_fp16(const OpVersion& version, const Formal* formal) {
    return formal != nullptr && version.allowed(formal->type).contains(DataType::float16) &&
           version.allowed(formal->type).contains(DataType::float32);
  }

  /// The value of the outermost graph that a capture refers to, or the value itself.
  static const Value& root_of(const Value& value) {
    const Value* root = &value;
    while (root->captured() != nullptr) root = root->captured();
    return *root;
  }

  std::string reason_to_keep(const Node& node, const std::vector<bool>& slots) const {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (!slots[static_cast<std::size_t>(i)]) continue;
      const Value& root = root_of(*node.input(i));
      if (!root.is_constant()) continue;
      const Tensor& tensor = root.constant();
      const double most = largest_magnitude(tensor);
      if (most > largest_fp16)
        return format("'{}' contains {}, which exceeds the range of float16", node.input(i)->name(),
                      most);
      if (tensor.element_count() == 1 && most > 0 && most < smallest_fp16)
        return format("'{}' is {}, which float16 rounds to 0", node.input(i)->name(), most);
    }
    return keeps_(node);
  }

  Value& half_of(Value& value) {
    // A capture disappears with its last use, so it cannot be a key.
    if (value.captured() != nullptr) return value.graph().capture(half_of(*value.captured()));
    const auto [place, is_new] = fp16_values_.try_emplace(&value, nullptr);
    if (is_new) {
      place->second = &make_fp16(value);
      left_.push_back(&value);
    }
    return *place->second;
  }

  Value& make_fp16(Value& value) {
    Graph& graph = value.graph();
    if (value.is_constant())
      return graph.add_constant("", ortool::convert(value.constant(), DataType::float16));
    Value& half = graph.add_value("");
    Value* const from[] = {&value};
    Value* const to[] = {&half};
    Node* before = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
    graph.add_node("Cast", "", from, to, {}, before).set_attribute(cast_to(DataType::float16));
    return half;
  }

  void convert(Node& node) {
    Graph& graph = node.graph();
    const std::vector<bool> slots = fp16_inputs(node);
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (!slots[static_cast<std::size_t>(i)]) continue;
      graph.set_input(node, i, &half_of(*node.input(i)));
    }
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      Value* output = node.output(i);
      if (is_float32(output)) {
        left_.push_back(output);
        output = fp16_values_[output] = &graph.add_value("");
      }
      outputs.push_back(output);
    }
    make_again(node, outputs);
  }

  /// Casts float16 results back to float32 for the remaining consumers.
  void cast_back() {
    for (Value* value : left_) {
      if (value->producer() != nullptr || value->is_graph_input()) continue;
      Graph& graph = value->graph();
      if (value->uses().empty()) {
        graph.remove_value(*value);
      } else if (!value->is_constant()) {
        Value* const from[] = {fp16_values_.at(value)};
        Value* const to[] = {value};
        Node* before = from[0]->producer()->next();
        graph.add_node("Cast", "", from, to, {}, before).set_attribute(cast_to(DataType::float32));
      }
    }
  }

  Graph& graph_;
  const std::function<std::string(const Node&)>& keeps_;
  Float16Report report_;
  std::unordered_map<const Value*, Value*> fp16_values_;
  std::vector<Value*> left_;  ///< whose consumers or producers were converted
};

}  // namespace

Float16Report convert_to_float16(Model& model,
                                 const std::function<std::string(const Node&)>& keeps) {
  return Float16Conversion(*model.graph, keeps).run();
}

}  // namespace ortool
