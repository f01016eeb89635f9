// Conversion to 16 bits: a node reads inputs of that type, and its results are cast back if needed.
#include "libcore/optimize/precision/convert_16_bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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

/// Half of the smallest positive number: smaller values round to zero.
double smallest_kept(DataType type) {
  return type == DataType::float16 ? 0x1p-25 : 0x1p-134;
}

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

class FloatConversion {
 public:
  FloatConversion(Graph& graph, DataType type, const std::function<std::string(const Node&)>& keeps)
      : graph_(graph), type_(type), keeps_(keeps) {
    report_.type = type;
  }

  /// Producers are visited before consumers, so that outer values in 16 bits exist when bodies
  /// capture them.
  FloatConversionReport run() {
    for (Graph* graph : graphs_in(graph_)) convert_graph(*graph);
    cast_back();
    return std::move(report_);
  }

 private:
  void convert_graph(Graph& graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) {
      const std::vector<bool> slots = half_inputs(node);
      std::string reason;
      if (std::find(slots.begin(), slots.end(), true) != slots.end()) {
        reason = reason_to_keep(node, slots);
      } else if (const std::optional<std::int64_t> opset = opset_with_form(node)) {
        reason = format("{} takes {} from opset {} on", node.op_type(), name_of(type_), *opset);
      } else {
        continue;
      }
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

  /// Whether another version of the node's operator could take the type; false for nodes that keep
  /// float32 whatever the version.
  static bool may_convert(const Node& node) {
    return node.domain().empty() && node.subgraphs().empty() && !is_kept(node);
  }

  /// For each input, whether it is float32 and may be in 16 bits; all false when the node has no
  /// such form.
  std::vector<bool> half_inputs(const Node& node) const {
    const OpEntry* entry = may_convert(node) ? find_op("", node.op_type()) : nullptr;
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version != nullptr) return half_inputs(node, *version);
    return std::vector<bool>(static_cast<std::size_t>(node.input_count()));
  }

  std::vector<bool> half_inputs(const Node& node, const OpVersion& version) const {
    std::vector<bool> slots(static_cast<std::size_t>(node.input_count()));
    bool makes_floats = false;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (!is_float32(node.output(i))) continue;
      makes_floats = true;
      if (!allows_type(version, OpVersion::formal_at(version.outputs, i))) return slots;
    }
    if (!makes_floats) return slots;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Formal* formal = OpVersion::formal_at(version.inputs, i);
      slots[static_cast<std::size_t>(i)] =
          is_float32(node.input(i)) && allows_type(version, formal);
    }
    return slots;
  }

  /// The first opset after the node's in which its operator takes the type.
  std::optional<std::int64_t> opset_with_form(const Node& node) const {
    const OpEntry* entry = may_convert(node) ? find_op("", node.op_type()) : nullptr;
    const OpVersion* own = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (own == nullptr) return std::nullopt;
    for (const OpVersion& version : entry->schema->versions) {
      if (version.since <= own->since || version.is_deprecated) continue;
      const std::vector<bool> slots = half_inputs(node, version);
      if (std::find(slots.begin(), slots.end(), true) != slots.end()) return version.since;
    }
    return std::nullopt;
  }

  bool allows_type(const OpVersion& version, const Formal* formal) const {
    return formal != nullptr && version.allowed(formal->type).contains(type_) &&
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
      if (most > largest_finite(type_))
        return format("'{}' contains {}, which exceeds the range of {}", node.input(i)->name(),
                      most, name_of(type_));
      if (tensor.element_count() == 1 && most > 0 && most < smallest_kept(type_))
        return format("'{}' is {}, which {} rounds to 0", node.input(i)->name(), most,
                      name_of(type_));
    }
    return keeps_(node);
  }

  Value& half_of(Value& value) {
    // A capture disappears with its last use, so it cannot be a key.
    if (value.captured() != nullptr) return value.graph().capture(half_of(*value.captured()));
    const auto [place, is_new] = halves_.try_emplace(&value, nullptr);
    if (is_new) {
      place->second = &make_half(value);
      left_.push_back(&value);
    }
    return *place->second;
  }

  Value& make_half(Value& value) {
    Graph& graph = value.graph();
    if (value.is_constant())
      return graph.add_constant("", ortool::convert(value.constant(), type_));
    Value& half = graph.add_value("");
    Value* const from[] = {&value};
    Value* const to[] = {&half};
    Node* before = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
    graph.add_node("Cast", "", from, to, {}, before).set_attribute(cast_to(type_));
    return half;
  }

  void convert(Node& node) {
    Graph& graph = node.graph();
    const std::vector<bool> slots = half_inputs(node);
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (!slots[static_cast<std::size_t>(i)]) continue;
      graph.set_input(node, i, &half_of(*node.input(i)));
    }
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      Value* output = node.output(i);
      if (is_float32(output)) {
        left_.push_back(output);
        output = halves_[output] = &graph.add_value("");
      }
      outputs.push_back(output);
    }
    make_again(node, outputs);
  }

  /// Casts results in 16 bits back to float32 for the remaining consumers.
  void cast_back() {
    for (Value* value : left_) {
      if (value->producer() != nullptr || value->is_graph_input()) continue;
      Graph& graph = value->graph();
      if (value->uses().empty()) {
        graph.remove_value(*value);
      } else if (!value->is_constant()) {
        Value* const from[] = {halves_.at(value)};
        Value* const to[] = {value};
        Node* before = from[0]->producer()->next();
        graph.add_node("Cast", "", from, to, {}, before).set_attribute(cast_to(DataType::float32));
      }
    }
  }

  Graph& graph_;
  DataType type_;
  const std::function<std::string(const Node&)>& keeps_;
  FloatConversionReport report_;
  std::unordered_map<const Value*, Value*> halves_;
  std::vector<Value*> left_;  ///< whose consumers or producers were converted
};

}  // namespace

double largest_finite(DataType type) {
  return type == DataType::float16 ? 65504 : 0x1.fep127;
}

FloatConversionReport convert_to_16_bits(Model& model, DataType type,
                                         const std::function<std::string(const Node&)>& keeps) {
  return FloatConversion(*model.graph, type, keeps).run();
}

}  // namespace ortool
