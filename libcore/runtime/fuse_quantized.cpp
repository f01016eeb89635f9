// One look at each QuantizeLinear, in order, so that a cluster finds its inputs rewritten already.
#include "libcore/runtime/fuse_quantized.hpp"

#include "libcore/ops/own_domain.hpp"
#include "libcore/runtime/quantized_cluster.hpp"

namespace ortool {
namespace {

constexpr std::int64_t least_opset = 10;

/// The main graph around `graph`.
Graph& outermost(Graph& graph) {
  Graph* current = &graph;
  while (current->owner() != nullptr) current = &current->owner()->graph();
  return *current;
}

void import_own_domain(Graph& graph) {
  Graph& main = outermost(graph);
  OpsetImports imports = main.opsets();
  imports[own_domain] = own_opset;
  main.set_opsets(std::move(imports));
}

}  // namespace

void fuse_quantized(Graph& graph, MemoryCap* cap) {
  if (graph.opset("") < least_opset) return;
  bool has_changed = false;
  for (Node& node : graph.nodes()) {
    const std::optional<Quantization> to = quantized(node);
    if (!to) continue;
    ClusterEditor editor(graph, node, cap);
    has_changed = fuse_quantized_product(editor, node, *to) ||
                  fuse_quantized_binary(editor, node, *to) ||
                  fuse_quantized_move(editor, node, *to) || has_changed;
  }
  if (has_changed) import_own_domain(graph);
}

}  // namespace ortool
