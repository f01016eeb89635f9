// Capture resolution: outer graphs first, so that constants propagate inward.
#include "libcore/lower/resolve_captures.hpp"

#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

void resolve_captures(Graph& graph) {
  for (Graph* body : graphs_in(graph)) {
    const std::vector<Value*> captures(body->captures().begin(), body->captures().end());
    for (Value* captured : captures) {
      if (!captured->captured()->is_constant()) continue;
      Value& constant = body->add_constant("", captured->captured()->constant());
      body->replace_uses(*captured, constant);
    }
  }
}

}  // namespace ortool
