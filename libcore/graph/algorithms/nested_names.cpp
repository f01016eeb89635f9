// Outer graphs are processed first, since new names also apply to the graphs inside.
#include "libcore/graph/algorithms/nested_names.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// The value of an enclosing graph with the same name as `value`, or null.
const Value* hidden_by(const Value& value) {
  const Graph* graph = &value.graph();
  while (graph->owner() != nullptr) {
    graph = &graph->owner()->graph();
    const Value* outer = graph->find_value(value.name());
    if (outer != nullptr && outer->captured() == nullptr) return outer;
  }
  return nullptr;
}

/// Whether the value is an input or output of a body that its node knows by name.
bool is_known_by_name(const Value& value) {
  const Graph& graph = value.graph();
  if (graph.owner()->domain().empty()) return false;
  const auto is_value = [&](const Value* other) { return other == &value; };
  return std::any_of(graph.inputs().begin(), graph.inputs().end(), is_value) ||
         std::any_of(graph.outputs().begin(), graph.outputs().end(), is_value);
}

/// `AnyGraph` is Graph or const Graph.
template <typename AnyGraph, typename Body>
void each_hiding(AnyGraph& main, Body body) {
  for (const Graph* graph : graphs_in(main)) {
    if (graph->owner() == nullptr) continue;
    for (Value* value : graph->values()) {
      if (value->captured() != nullptr || is_known_by_name(*value)) continue;
      if (const Value* outer = hidden_by(*value)) body(*value, *outer);
    }
  }
}

}  // namespace

void make_names_unique(Graph& main) {
  each_hiding(main, [](Value& value, const Value&) {
    value.graph().rename_value(value, value.graph().unused_name(value.name()));
  });
}

void verify_names(const Graph& main) {
  each_hiding(main, [](const Value& value, const Value& outer) {
    throw Error(
        ErrorCode::invalid,
        format("graph {}: value {} has the name of a value of the enclosing graph {}",
               quote(value.graph().name()), quote(value.name()), quote(outer.graph().name())))
        .with_id("graph.verify");
  });
}

}  // namespace ortool
