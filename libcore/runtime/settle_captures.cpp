// Outer graphs first, so that a constant goes down level by level.
#include "libcore/runtime/settle_captures.hpp"

#include <vector>

namespace ortool {

void settle_captures(Graph& graph) {
  std::vector<Graph*> open = {&graph};
  while (!open.empty()) {
    Graph& outer = *open.back();
    open.pop_back();
    for (Node& node : outer.nodes()) {
      for (Graph* body : node.subgraphs()) {
        const std::vector<Value*> captures(body->captures().begin(), body->captures().end());
        for (Value* captured : captures) {
          if (!captured->captured()->is_constant()) continue;
          Value& constant = body->add_constant("", captured->captured()->constant());
          body->replace_uses(*captured, constant);
        }
        open.push_back(body);
      }
    }
  }
}

}  // namespace ortool
