// Importing the own domain into the main graph, which opsets belong to.
#include "libcore/runtime/session_nodes.hpp"

#include "libcore/ops/own_domain.hpp"

namespace ortool {

void import_own_domain(Graph& graph) {
  Graph* main = &graph;
  while (main->owner() != nullptr) main = &main->owner()->graph();
  OpsetImports imports = main->opsets();
  imports[own_domain] = own_opset;
  main->set_opsets(std::move(imports));
}

bool is_reorder(const Node& node) {
  return node.op_type() == "Reorder" && node.domain() == own_domain;
}

}  // namespace ortool
