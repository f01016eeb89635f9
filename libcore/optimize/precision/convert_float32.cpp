// Float32 conversion: types change in place; only the model's boundary gets new nodes.
#include "libcore/optimize/precision/convert_float32.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Attributes that specify an element type.
constexpr std::array<std::string_view, 4> type_attributes = {"to", "dtype", "output_dtype",
                                                             "output_datatype"};

DataType stored_type_of(const Value* value) {
  if (value == nullptr) return DataType::undefined;
  if (value->is_constant()) return value->constant().type();
  return value->type().is_tensor() ? value->type().element : DataType::undefined;
}

class Float32Conversion {
 public:
  Float32Conversion(Model& model, const std::vector<DataType>& types)
      : graph_(*model.graph), types_(types) {}

  void run() {
    check_edge();
    for (Graph* graph : graphs_in(graph_)) {
      for (Node& node : graph->nodes()) convert_attributes(node);
      for (Value* value : graph->values()) {
        if (!is_of_edge(*value)) convert_value(*value);
      }
    }
    cast_inputs();
    cast_outputs();
  }

 private:
  bool is_meant(DataType type) const {
    return std::find(types_.begin(), types_.end(), type) != types_.end();
  }

  bool holds_meant(const ValueType& type) const {
    if (type.inner != nullptr && holds_meant(*type.inner)) return true;
    return is_meant(type.element);
  }

  bool is_of_edge(const Value& value) const {
    return value.is_in(graph_) && (value.is_graph_input() || value.is_graph_output());
  }

  void check_edge() const {
    for (const std::span<Value* const> values : {graph_.inputs(), graph_.outputs()}) {
      for (const Value* value : values) {
        if (!holds_meant(value->type())) continue;
        const Node* const producer = value->producer();
        const bool has_graphs = producer != nullptr && !producer->subgraphs().empty();
        if (value->type().is_tensor() && !has_graphs) continue;
        throw Error(ErrorCode::unsupported,
                    format("{} is {} from {}, which cannot be converted to float32",
                           quote(value->name()), value->type().to_string(),
                           producer != nullptr ? producer->op_type() : "the caller"),
                    "convert the model to float32 first");
      }
    }
  }

  ValueType in_float32(const ValueType& type) const {
    ValueType result = type;
    if (is_meant(result.element)) result.element = DataType::float32;
    if (result.inner != nullptr)
      result.inner = std::make_shared<const ValueType>(in_float32(*result.inner));
    return result;
  }

  static Tensor as_float32(const Tensor& tensor) {
    Tensor floats = convert(tensor.aligned(), DataType::float32);
    constexpr float most = std::numeric_limits<float>::max();
    const std::span<float> data = floats.mutable_data<float>();
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (!std::isinf(data[i])) continue;
      const double given = element_as_double(tensor, static_cast<std::int64_t>(i));
      if (std::isfinite(given)) data[i] = std::copysign(most, data[i]);
    }
    return floats;
  }

  void convert_value(Value& value) const {
    if (value.is_constant() && is_meant(value.constant().type()))
      return value.graph().set_constant(value, as_float32(value.constant()));
    if (holds_meant(value.type())) value.set_type(in_float32(value.type()));
  }

  void convert_attributes(Node& node) const {
    std::vector<Attribute> changed;
    for (const Attribute& attribute : node.attributes()) {
      Attribute made;
      made.name = attribute.name;
      if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) {
        if (!is_meant(tensor->type())) continue;
        made.value = as_float32(*tensor);
      } else if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
        const bool names_type = std::find(type_attributes.begin(), type_attributes.end(),
                                          attribute.name) != type_attributes.end();
        if (!names_type || *number < 0 || !is_meant(static_cast<DataType>(*number))) continue;
        made.value = static_cast<std::int64_t>(DataType::float32);
      } else if (const auto* type = std::get_if<ValueType>(&attribute.value)) {
        if (!holds_meant(*type)) continue;
        made.value = in_float32(*type);
      } else {
        continue;
      }
      changed.push_back(std::move(made));
    }
    for (Attribute& attribute : changed) node.set_attribute(std::move(attribute));
  }

  Value& add_like(const Value& value) {
    return graph_.add_value("", ValueType::tensor(DataType::float32, value.type().shape));
  }

  void add_cast(Value& from, Value& to, DataType type, Node* before) {
    Value* const inputs[] = {&from};
    Value* const outputs[] = {&to};
    Attribute attribute;
    attribute.name = "to";
    attribute.value = static_cast<std::int64_t>(type);
    graph_.add_node("Cast", "", inputs, outputs, {}, before).set_attribute(std::move(attribute));
  }

  void cast_inputs() {
    const std::vector<Value*> inputs(graph_.inputs().begin(), graph_.inputs().end());
    for (Value* input : inputs) {
      if (!is_meant(stored_type_of(input)) || input->uses().empty()) continue;
      Value& wide = add_like(*input);
      read_instead(*input, wide);
      add_cast(*input, wide, DataType::float32, graph_.first_node());
    }
  }

  /// Every consumer of `old`, also in bodies, reads `by` instead; model outputs stay.
  void read_instead(Value& old, Value& by) {
    Graph& graph = old.graph();
    const std::vector<Use> uses(old.uses().begin(), old.uses().end());
    for (const Use& use : uses) {
      if (use.kind == Use::Kind::input) {
        graph.set_input(*use.node, use.index, &by);
      } else if (use.kind == Use::Kind::implicit_input) {
        for (Graph* body : use.node->subgraphs()) capture_instead(*body, old, by);
      } else if (&graph != &graph_) {
        graph.set_output(use.index, by);
      }
    }
  }

  void capture_instead(Graph& body, Value& old, Value& by) {
    const std::vector<Value*> captures(body.captures().begin(), body.captures().end());
    for (Value* inner : captures) {
      if (inner->captured() != &old) continue;
      return read_instead(*inner, body.capture(by));
    }
  }

  void cast_outputs() {
    const std::vector<Value*> outputs(graph_.outputs().begin(), graph_.outputs().end());
    for (Value* output : outputs) {
      Node* const producer = output->producer();
      // A node that produces several graph outputs, or one twice, is handled once.
      if (producer == nullptr || !is_meant(stored_type_of(output)) || is_cast_back(*producer))
        continue;
      cast_results(*producer);
    }
  }

  bool is_cast_back(const Node& node) const {
    return std::find(casts_back_.begin(), casts_back_.end(), &node) != casts_back_.end();
  }

  void cast_results(Node& producer) {
    Node* const behind = producer.next();
    std::vector<Value*> made;
    std::vector<std::pair<Value*, Value*>> narrowed;
    for (std::int64_t i = 0; i < producer.output_count(); ++i) {
      Value* output = producer.output(i);
      if (output != nullptr && output->is_graph_output() && is_meant(stored_type_of(output))) {
        Value& wide = add_like(*output);
        narrowed.emplace_back(output, &wide);
        output = &wide;
      }
      made.push_back(output);
    }
    static_cast<void>(make_again(producer, made));
    for (const auto& [output, wide] : narrowed) {
      read_instead(*output, *wide);
      add_cast(*wide, *output, output->type().element, behind);
      casts_back_.push_back(output->producer());
    }
  }

  Graph& graph_;
  const std::vector<DataType>& types_;
  std::vector<const Node*> casts_back_;
};

}  // namespace

std::vector<DataType> product_types(const Model& model) {
  std::vector<DataType> types;
  for (const DataType type : {DataType::float16, DataType::bfloat16, DataType::float64}) {
    bool is_used = false;
    for (const Graph* graph : graphs_in(*model.graph)) {
      for (const Node& node : graph->nodes()) {
        const bool is_product = traits_of(node).role == QuantizeRole::product;
        is_used = is_used || (is_product && stored_type_of(node.input(0)) == type);
      }
    }
    if (is_used) types.push_back(type);
  }
  return types;
}

void convert_to_float32(Model& model, const std::vector<DataType>& types) {
  if (!types.empty()) Float32Conversion(model, types).run();
}

}  // namespace ortool
