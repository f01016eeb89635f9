// Single-node model: copies of the node and of its values.
#include "providers/modules/single_node_model.hpp"

#include <unordered_map>
#include <vector>

#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::modules {
namespace {

/// Formulas are no names of dimensions in files.
ValueType writable_type(ValueType type) {
  type.extras = nullptr;
  if (!type.shape) return type;
  for (Dimension& dimension : *type.shape) {
    if (!dimension.is_known()) dimension = Dimension();
  }
  return type;
}

}  // namespace

std::unique_ptr<Model> single_node_model(const Node& node) {
  auto model = std::make_unique<Model>();
  model->ir_version = 10;
  model->graph = std::make_unique<Graph>("node");
  Graph& graph = *model->graph;
  OpsetImports opsets;
  opsets[std::string(node.domain())] = node.opset();
  graph.set_opsets(std::move(opsets));
  std::unordered_map<const Value*, Value*> copies;
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr) {
      inputs.push_back(nullptr);
      continue;
    }
    const auto [place, is_new] = copies.try_emplace(value, nullptr);
    if (is_new) {
      const Value& root = captured_root(*value);
      const bool is_constant = root.is_constant() && root.has_content();
      place->second = &graph.add_value(value->name(), writable_type(value->type()));
      if (is_constant && root.constant().element_count() <= max_kept_constant) {
        graph.set_constant(*place->second, root.constant());
      } else {
        if (is_constant) {
          const Tensor& content = root.constant();
          place->second->set_type(ValueType::tensor(content.type(), to_partial(content.shape())));
        }
        graph.mark_input(*place->second);
      }
    }
    inputs.push_back(place->second);
  }
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* value = node.output(i);
    outputs.push_back(
        value != nullptr ? &graph.add_value(value->name(), writable_type(value->type())) : nullptr);
  }
  Node& made = graph.add_node(node.op_type(), node.domain(), inputs, outputs, node.name());
  for (Attribute& attribute : copy_attributes(node)) made.set_attribute(std::move(attribute));
  for (Value* output : outputs) {
    if (output != nullptr) graph.add_output(*output);
  }
  return model;
}

}  // namespace ortool::modules
