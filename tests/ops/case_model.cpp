// Builds the model of an operator case: inputs and constants, then the nodes from their text.
#include "tests/ops/case_model.hpp"

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool::test {

std::vector<ConstantMode> modes_of(const OpCase& each) {
  const std::size_t count = each.inputs.size();
  std::vector<ConstantMode> modes = {{"inputs given", count}};
  if (count > 1) modes.push_back({"all but the first input constant", 1});
  if (count > 0) modes.push_back({"all inputs constant", 0});
  return modes;
}

std::unique_ptr<Model> make_model(const OpCase& each, const ConstantMode& mode) {
  auto model = std::make_unique<Model>();
  model->ir_version = 10;
  model->graph = std::make_unique<Graph>("case");
  Graph& graph = *model->graph;
  graph.set_opsets(each.opsets);
  for (std::size_t i = 0; i < each.inputs.size(); ++i) {
    const auto& [name, tensor] = each.inputs[i];
    if (i < mode.first_constant) {
      graph.add_input(name, ValueType::tensor(tensor.type(), to_partial(tensor.shape())));
    } else {
      graph.add_constant(name, tensor);
    }
  }
  for (const auto& [name, tensor] : each.constants) graph.add_constant(name, tensor);
  parse_nodes(each.nodes, graph);
  for (const auto& [name, tensor] : each.outputs) {
    Value* value = graph.find_value(name);
    if (value == nullptr)
      throw Error(ErrorCode::invalid, format("no node makes the output '{}'", name));
    graph.add_output(*value);
  }
  // Cases that expect an error declare no outputs; every value without a consumer becomes one.
  if (each.outputs.empty()) {
    for (const Node& node : graph.nodes()) {
      for (std::int64_t i = 0; i < node.output_count(); ++i) {
        Value* value = node.output(i);
        if (value != nullptr && value->uses().empty()) graph.add_output(*value);
      }
    }
  }
  return model;
}

}  // namespace ortool::test
