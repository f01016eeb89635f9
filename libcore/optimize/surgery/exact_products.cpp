// Exact products: the attribute by which ONNX Runtime's operators may round to 8 bits.
#include "libcore/optimize/surgery/exact_products.hpp"

#include <utility>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {
namespace {

void make_exact(Graph& main) {
  for (Graph* graph : graphs_in(main)) {
    for (Node& node : graph->nodes()) {
      if (node.domain() == contrib_domain) node.remove_attribute("accuracy_level");
    }
  }
}

}  // namespace

void make_products_exact(Model& model) {
  make_exact(*model.graph);
  for (Function& function : model.functions) make_exact(*function.body);
}

bool has_rounding_layers(const Model& model) {
  for (const Graph* graph : graphs_in(std::as_const(*model.graph))) {
    for (const Node& node : graph->nodes()) {
      if (node.domain() == contrib_domain && node.op_type() == "DynamicQuantizeLSTM") return true;
    }
  }
  return false;
}

}  // namespace ortool
