// Subgraphs share the opset imports of the outermost graph.
#include "libcore/graph/algorithms/import_domain.hpp"

#include <string>
#include <utility>

#include "libcore/graph/graph.hpp"

namespace ortool {

void import_domain(Graph& graph, std::string_view domain, std::int64_t version) {
  if (graph.opset(domain) == version) return;
  Graph* main = &graph;
  while (main->owner() != nullptr) main = &main->owner()->graph();
  OpsetImports imports = main->opsets();
  imports[std::string(domain)] = version;
  main->set_opsets(std::move(imports));
}

}  // namespace ortool
