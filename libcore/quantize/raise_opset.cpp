// What changed between opsets 7 and 21 in more than types, operator by operator.
#include "libcore/quantize/raise_opset.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/traverse.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

/// Before it operators broadcast by attributes.
constexpr std::int64_t least_opset = 7;

constexpr std::array<std::string_view, 9> reductions = {
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd",   "ReduceSumSquare"};

Attribute named(std::string_view name, Attribute::Value value) {
  Attribute attribute;
  attribute.name = name;
  attribute.value = std::move(value);
  return attribute;
}

/// Brings one node from an opset to a later one.
class NodeRaiser {
 public:
  NodeRaiser(Node& node, std::int64_t from, std::int64_t to)
      : node_(&node), graph_(node.graph()), from_(from), to_(to) {}

  void raise();

 private:
  bool crosses(std::int64_t version) const { return from_ < version && version <= to_; }
  bool is(std::string_view op_type) const { return node_->op_type() == op_type; }
  [[noreturn]] void refuse(std::string_view why) const;

  template <typename T>
  T attribute(std::string_view name, T otherwise) const {
    const Attribute* found = node_->find_attribute(name);
    if (found == nullptr) return otherwise;
    const T* value = std::get_if<T>(&found->value);
    return value != nullptr ? *value : otherwise;
  }
  Value& integers(const std::vector<std::int64_t>& numbers) {
    const auto count = static_cast<std::int64_t>(numbers.size());
    return graph_.add_constant("", Tensor::of<std::int64_t>(Shape({count}), numbers));
  }
  Value& number(float value) { return graph_.add_constant("", Tensor::scalar(value)); }
  /// The node's inputs become these, its attributes but `kept` go.
  void set_inputs(const std::vector<Value*>& inputs, std::vector<std::string_view> dropped);
  void move_axes(std::string_view name);
  /// The same node under another name.
  void rename(std::string_view op_type);

  void raise_softmax();
  void raise_clip();
  void raise_pad();
  void raise_slice();
  void raise_resize();
  void raise_normalization();
  void raise_dropout();

  Node* node_;
  Graph& graph_;
  std::int64_t from_;
  std::int64_t to_;
};

void NodeRaiser::refuse(std::string_view why) const {
  Error error(ErrorCode::unsupported,
              format("{} cannot be written in opset {}: {}", node_->op_type(), to_, why),
              "convert the model to a later opset first");
  throw error.at_node(shorten(node_->name()), node_->op_type()).with_id("quantize.opset");
}

void NodeRaiser::set_inputs(const std::vector<Value*>& inputs,
                            std::vector<std::string_view> dropped) {
  const auto count = static_cast<std::int64_t>(inputs.size());
  // In place, since what stands for an outer value goes away with its last reader.
  for (std::int64_t i = 0; i < count; ++i) {
    if (i >= node_->input_count()) graph_.add_input_to(*node_, nullptr);
    graph_.set_input(*node_, i, inputs[static_cast<std::size_t>(i)]);
  }
  while (node_->input_count() > count) graph_.remove_last_input(*node_);
  for (const std::string_view name : dropped) node_->remove_attribute(name);
}

void NodeRaiser::move_axes(std::string_view name) {
  if (node_->find_attribute(name) == nullptr) return;
  Value& axes = integers(attribute<std::vector<std::int64_t>>(name, {}));
  set_inputs({node_->input(0), &axes}, {name});
}

void NodeRaiser::rename(std::string_view op_type) {
  std::vector<Value*> inputs;
  std::vector<Value*> outer;
  for (std::int64_t i = 0; i < node_->input_count(); ++i) {
    inputs.push_back(node_->input(i));
    outer.push_back(inputs.back() != nullptr ? inputs.back()->captured() : nullptr);
  }
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node_->output_count(); ++i) outputs.push_back(node_->output(i));
  const std::string name(node_->name());
  Node* const before = node_->next();
  std::vector<Attribute> attributes;
  for (const Attribute& each : node_->attributes()) {
    if (const auto* text = std::get_if<std::string>(&each.value))
      attributes.push_back(named(each.name, *text));
    if (const auto* integer = std::get_if<std::int64_t>(&each.value))
      attributes.push_back(named(each.name, *integer));
  }
  graph_.remove_node(*node_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (outer[i] != nullptr) inputs[i] = &graph_.capture(*outer[i]);
  }
  node_ = &graph_.add_node(op_type, "", inputs, outputs, name, before);
  for (Attribute& each : attributes) node_->set_attribute(std::move(each));
}

/// It took all axes from the one given on as one.
void NodeRaiser::raise_softmax() {
  Value& input = *node_->input(0);
  const PartialShape& shape = input.type().shape;
  if (!shape) refuse("the rank of its input is not known");
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t given = attribute<std::int64_t>("axis", 1);
  const std::int64_t axis = given < 0 ? given + rank : given;
  const bool is_last =
      std::all_of(shape->begin() + std::min(axis + 1, rank), shape->end(),
                  [](const Dimension& size) { return size.is_known() && size.number() == 1; });
  if (axis < rank && is_last) {
    node_->set_attribute(named("axis", axis));
    return;
  }
  Value& sizes = graph_.add_value("");
  Value& rows = graph_.add_value("");
  Value& soft = graph_.add_value("");
  Value& result = *node_->output(0);
  const std::string op_type(node_->op_type());
  const std::string name(node_->name());
  Node* const before = node_->next();
  const auto add = [&](std::string_view type, std::vector<Value*> inputs, Value& output,
                       std::string_view called) -> Node& {
    Value* const outputs[] = {&output};
    return graph_.add_node(type, "", inputs, outputs, called, before);
  };
  add("Shape", {&input}, sizes, {});
  add("Flatten", {&input}, rows, {}).set_attribute(named("axis", axis));
  add(op_type, {&rows}, soft, name).set_attribute(named("axis", std::int64_t{1}));
  graph_.remove_node(*node_);
  node_ = &add("Reshape", {&soft, &sizes}, result, {});
}

void NodeRaiser::raise_clip() {
  const bool has_low = node_->find_attribute("min") != nullptr;
  const bool has_high = node_->find_attribute("max") != nullptr;
  const DataType element = node_->input(0)->type().element;
  if ((has_low || has_high) && element != DataType::float32)
    refuse("its bounds have another type than float32");
  std::vector<Value*> inputs = {node_->input(0)};
  if (has_low || has_high) inputs.push_back(has_low ? &number(attribute("min", 0.0F)) : nullptr);
  if (has_high) inputs.push_back(&number(attribute("max", 0.0F)));
  set_inputs(inputs, {"min", "max"});
}

void NodeRaiser::raise_pad() {
  if (node_->input(0)->type().element != DataType::float32)
    refuse("its value has another type than float32");
  std::vector<Value*> inputs = {node_->input(0),
                                &integers(attribute<std::vector<std::int64_t>>("pads", {}))};
  const float value = attribute("value", 0.0F);
  if (value != 0.0F) inputs.push_back(&number(value));
  set_inputs(inputs, {"pads", "value"});
}

void NodeRaiser::raise_slice() {
  std::vector<Value*> inputs = {node_->input(0),
                                &integers(attribute<std::vector<std::int64_t>>("starts", {})),
                                &integers(attribute<std::vector<std::int64_t>>("ends", {}))};
  if (node_->find_attribute("axes") != nullptr)
    inputs.push_back(&integers(attribute<std::vector<std::int64_t>>("axes", {})));
  set_inputs(inputs, {"starts", "ends", "axes"});
}

/// Resize-10 and Upsample put a pixel where its number times the scale is.
void NodeRaiser::raise_resize() {
  Value* scales = node_->input(1);
  if (node_->find_attribute("scales") != nullptr) {
    const auto numbers = attribute<std::vector<float>>("scales", {});
    const auto count = static_cast<std::int64_t>(numbers.size());
    scales = &graph_.add_constant("", Tensor::of<float>(Shape({count}), numbers));
  }
  if (scales == nullptr) refuse("it has no scales");
  if (is("Upsample")) rename("Resize");
  const std::string mode = attribute<std::string>("mode", "nearest");
  set_inputs({node_->input(0), nullptr, scales}, {"scales"});
  node_->set_attribute(named("mode", std::string(mode == "nearest" ? "nearest" : "linear")));
  node_->set_attribute(named("coordinate_transformation_mode", std::string("asymmetric")));
  if (mode == "nearest") node_->set_attribute(named("nearest_mode", std::string("floor")));
}

void NodeRaiser::raise_normalization() {
  if (crosses(9) && attribute<std::int64_t>("spatial", 1) != 1) refuse("it is not spatial");
  node_->remove_attribute("spatial");
  for (std::int64_t i = 1; i < node_->output_count(); ++i) {
    if (node_->output(i) != nullptr) refuse("it gives statistics");
  }
}

/// Its mask became one of bools.
void NodeRaiser::raise_dropout() {
  node_->remove_attribute("ratio");
  Value* const mask = node_->output(1);
  if (mask == nullptr) return;
  if (!mask->uses().empty()) refuse("its mask is read");
  mask->set_type(ValueType::tensor(DataType::boolean, mask->type().shape));
}

void NodeRaiser::raise() {
  const OpEntry* entry = find_op("", node_->op_type());
  if (entry == nullptr) refuse("the operator is not known");
  const OpVersion* now = entry->schema->at(from_);
  const OpVersion* then = entry->schema->at(to_);
  if (now == then) return;
  const bool is_reduction =
      std::find(reductions.begin(), reductions.end(), node_->op_type()) != reductions.end();
  if (crosses(9) && is("Scan")) refuse("its inputs stand in another order");
  if (is("BatchNormalization")) raise_normalization();
  if (crosses(10) && is("Slice")) raise_slice();
  if (crosses(10) && is("TopK"))
    set_inputs({node_->input(0), &integers({attribute<std::int64_t>("k", 1)})}, {"k"});
  if ((crosses(10) && is("Upsample")) || (crosses(11) && is("Resize"))) raise_resize();
  if (crosses(11) && is("Clip")) raise_clip();
  if (crosses(11) && is("Pad")) raise_pad();
  if (crosses(11) && is("Scatter")) rename("ScatterElements");
  if (crosses(12) && is("Dropout")) raise_dropout();
  if (crosses(13) && (is("Squeeze") || is("Unsqueeze") || is("ReduceSum"))) move_axes("axes");
  if (crosses(13) && is("Split")) move_axes("split");
  if (crosses(13) && (is("Softmax") || is("LogSoftmax") || is("Hardmax"))) raise_softmax();
  if (crosses(16) && is("RoiAlign"))
    node_->set_attribute(named("coordinate_transformation_mode", std::string("output_half_pixel")));
  if (crosses(18) && is_reduction) move_axes("axes");
  if (crosses(18) && is("Split") && node_->input(1) == nullptr)
    node_->set_attribute(named("num_outputs", node_->output_count()));
  if (crosses(20) && is("GridSample")) {
    const std::string mode = attribute<std::string>("mode", "bilinear");
    if (mode == "bilinear") node_->set_attribute(named("mode", std::string("linear")));
    if (mode == "bicubic") node_->set_attribute(named("mode", std::string("cubic")));
  }
  if (crosses(20) && is("DFT")) refuse("its axis became an input");
  if (crosses(21) && is("GroupNormalization")) refuse("its scale became one a channel");
  const OpEntry* raised = find_op("", node_->op_type());
  const OpVersion* version = raised->schema->at(to_);
  if (version == nullptr || version->is_deprecated) refuse("the operator is gone");
}

}  // namespace

void raise_opset(Model& model, std::int64_t wanted) {
  const std::int64_t found = model.graph->opset("");
  if (found >= wanted) return;
  if (found < least_opset) {
    throw Error(ErrorCode::unsupported,
                format("the model's opset is {} (expected {} or later)", found, least_opset),
                "convert the model to a later opset first")
        .with_id("quantize.opset");
  }
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Node& node : graph->nodes()) {
      if (node.domain().empty()) NodeRaiser(node, found, wanted).raise();
    }
  }
  OpsetImports opsets = model.graph->opsets();
  opsets[""] = wanted;
  model.graph->set_opsets(std::move(opsets));
}

}  // namespace ortool
