// Graph view: structs in deques, whose addresses stay.
#include "providers/modules/graph_view.hpp"

#include "libcore/graph/algorithms/captured.hpp"

namespace ortool::modules {
namespace {

/// Points an attribute's view to a list.
template <typename T>
void put_list(ortool_provider_attribute& view, const std::vector<T>& list) {
  view.count = list.size();
  view.data = list.data();
}

std::int64_t product_or_unknown(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return -1;
    count *= dimension;
  }
  return count;
}

}  // namespace

GraphView::GraphView(const Graph& graph) {
  for (const Node& node : graph.nodes()) add_node(node);
  for (const Value* input : graph.inputs()) {
    if (!input->is_constant()) inputs_.push_back(view_of(input));
  }
  for (const Value* output : graph.outputs()) outputs_.push_back(view_of(output));
  graph_.size = sizeof(graph_);
  graph_.nodes = node_views_.data();
  graph_.node_count = node_views_.size();
  graph_.inputs = inputs_.data();
  graph_.input_count = inputs_.size();
  graph_.outputs = outputs_.data();
  graph_.output_count = outputs_.size();
}

const char* GraphView::text(std::string_view text) {
  return texts_.emplace_back(text).c_str();
}

void GraphView::fill(ortool_provider_value& view, const Tensor& tensor) {
  const Tensor& held = tensors_.emplace_back(tensor.aligned());
  const auto dimensions = held.shape().dimensions();
  const std::vector<std::int64_t>& shape =
      shapes_.emplace_back(dimensions.begin(), dimensions.end());
  view.type = static_cast<std::int32_t>(held.type());
  view.rank = static_cast<std::int32_t>(shape.size());
  view.shape = shape.data();
  view.count = held.element_count();
  view.is_constant = 1;
  view.data = held.type() == DataType::string ? nullptr : held.bytes();
}

const ortool_provider_value* GraphView::view_of(const Tensor& tensor) {
  ortool_provider_value& view = values_.emplace_back();
  view.name = "";
  fill(view, tensor);
  return &view;
}

const ortool_provider_value* GraphView::view_of(const Value* value) {
  if (value == nullptr) return nullptr;
  const auto [place, is_new] = by_value_.try_emplace(value, nullptr);
  if (!is_new) return place->second;
  ortool_provider_value& view = values_.emplace_back();
  place->second = &view;
  view.name = text(value->name());
  view.rank = -1;
  view.count = -1;
  const Value& root = captured_root(*value);
  if (root.is_constant() && root.has_content()) {
    fill(view, root.constant());
    return &view;
  }
  const ValueType& type = value->type();
  if (!type.is_tensor()) return &view;
  view.type = static_cast<std::int32_t>(type.element);
  if (!type.shape) return &view;
  std::vector<std::int64_t>& shape = shapes_.emplace_back();
  for (const Dimension& dimension : *type.shape) shape.push_back(dimension.number());
  view.rank = static_cast<std::int32_t>(shape.size());
  view.shape = shape.data();
  view.count = product_or_unknown(shape);
  return &view;
}

const ortool_provider_attribute* GraphView::view_of(const Attribute& attribute) {
  ortool_provider_attribute& view = attributes_.emplace_back();
  view.name = text(attribute.name);
  view.kind = static_cast<std::int32_t>(attribute.kind());
  view.count = 1;
  const Attribute::Value& value = attribute.value;
  if (const auto* number = std::get_if<float>(&value)) {
    view.data = number;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    view.data = integer;
  } else if (const auto* string = std::get_if<std::string>(&value)) {
    view.data = string->c_str();
    view.count = string->size();
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    view.data = view_of(*tensor);
  } else if (const auto* numbers = std::get_if<std::vector<float>>(&value)) {
    put_list(view, *numbers);
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    put_list(view, *integers);
  } else {
    view.count = 0;
  }
  return &view;
}

void GraphView::add_node(const Node& node) {
  ValuePointers& inputs = value_lists_.emplace_back();
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(view_of(node.input(i)));
  ValuePointers& outputs = value_lists_.emplace_back();
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(view_of(node.output(i)));
  auto& attributes = attribute_lists_.emplace_back();
  for (const Attribute& attribute : node.attributes()) attributes.push_back(view_of(attribute));
  ortool_provider_node& view = node_structs_.emplace_back();
  view.name = text(node.name());
  view.op_type = text(node.op_type());
  view.domain = text(node.domain());
  view.opset = node.opset();
  view.inputs = inputs.data();
  view.input_count = inputs.size();
  view.outputs = outputs.data();
  view.output_count = outputs.size();
  view.attributes = attributes.data();
  view.attribute_count = attributes.size();
  nodes_.push_back(&node);
  node_views_.push_back(&view);
}

}  // namespace ortool::modules
