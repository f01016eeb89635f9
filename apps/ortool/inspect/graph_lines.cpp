// JSON lines of a graph: one object per element.
#include <unordered_map>

#include "apps/ortool/inspect/graph_block.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

void write_line(std::string_view kind, const Json& place, const Json& block, TextSink& out) {
  Json line = Json::object().set("kind", kind);
  for (const auto& [key, value] : place.members()) line.set(key, value);
  for (const auto& [key, value] : block.members()) line.set(key, value);
  line.write_compact(out);
  out += '\n';
}

}  // namespace

void BlockBuilder::write_lines(TextSink& out) const {
  const std::vector<const Graph*> graphs = graphs_in(model_);
  std::unordered_map<const Graph*, std::int64_t> numbers;
  for (const Graph* graph : graphs)
    numbers.emplace(graph, static_cast<std::int64_t>(numbers.size()));
  std::unordered_map<const Graph*, const Function*> function_of;
  for (const Function& function : model_.functions) {
    function_of.emplace(function.body.get(), &function);
  }
  for (const Graph* graph : graphs) {
    const Json place = Json::object().set("graph", numbers.at(graph));
    const auto function = function_of.find(graph);
    Json head = Json::object().set("name", graph->name());
    const Node* owner = graph->owner();
    head.set("parent_graph", owner != nullptr ? Json(numbers.at(&owner->graph())) : Json())
        .set("parent_node", owner != nullptr ? Json(owner->name()) : Json());
    if (function != function_of.end()) head.set("function", function_head(*function->second));
    write_line("graph", place, head, out);
    for (const Value* input : graph->inputs()) write_line("input", place, value_block(*input), out);
    for (const Value* output : graph->outputs()) {
      write_line("output", place, value_block(*output), out);
    }
    make_initializers(*graph,
                      [&](const Json& block) { write_line("initializer", place, block, out); });
    make_values(*graph, [&](const Json& block) { write_line("value", place, block, out); });
    const auto subgraph = [&](const Graph& inside) { return Json(numbers.at(&inside)); };
    make_nodes(*graph, subgraph, [&](const Json& block) { write_line("node", place, block, out); });
  }
}

}  // namespace ortool
