// Default values of inputs: makes constants of them.
#include "libcore/graph/algorithms/freeze_defaults.hpp"

#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

std::int64_t freeze_defaults(Graph& graph, FunctionRef<bool(const Value& input)> is_taken) {
  const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
  std::int64_t count = 0;
  for (Value* input : inputs) {
    if (!input->has_default() || !is_taken(*input)) continue;
    graph.make_default_constant(*input);
    ++count;
  }
  return count;
}

std::int64_t freeze_defaults(Graph& graph) {
  return freeze_defaults(graph, [](const Value&) { return true; });
}

}  // namespace ortool
