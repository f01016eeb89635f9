// Adding the opset imports that a valid file needs.
#include "libcore/optimize/surgery/import_missing_domains.hpp"

#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {

void import_missing_domains(Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    for (const Node& node : graph->nodes()) {
      if (node.domain().empty() || node.opset() != 0) continue;
      const OpEntry* entry = find_op(node.domain(), node.op_type());
      const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
      if (version != nullptr) import_domain(*graph, node.domain(), version->since);
    }
  }
}

}  // namespace ortool
