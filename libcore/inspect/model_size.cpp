// Nodes and constants counted over all graphs of a model.
#include "libcore/inspect/model_size.hpp"

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

ModelSize size_of(const Model& model) {
  ModelSize size;
  for (const Graph* graph : graphs_in(model)) {
    size.nodes += graph->node_count();
    for (const Value* value : graph->values()) {
      if (value->is_constant()) size.bytes += value->constant().size_bytes();
    }
  }
  return size;
}

}  // namespace ortool
