// One look at each QuantizeLinear, in order, so that a cluster finds its inputs rewritten already;
// then one at the products that are left.
#include "libcore/runtime/fuse_quantized.hpp"

#include "libcore/runtime/quantized_cluster.hpp"
#include "libcore/runtime/session_nodes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t least_opset = 10;

}  // namespace

std::int64_t fuse_quantized(Graph& graph, MemoryCap* cap) {
  if (graph.opset("") < least_opset) return 0;
  std::int64_t count = 0;
  for (Node& node : graph.nodes()) {
    const std::optional<Quantization> to = quantized(node);
    if (!to) continue;
    ClusterEditor editor(graph, node, cap);
    const bool is_done = fuse_quantized_product(editor, node, *to) ||
                         fuse_quantized_binary(editor, node, *to) ||
                         fuse_quantized_move(editor, node, *to);
    count += is_done ? 1 : 0;
  }
  // What is left of products has a result that stays a float.
  for (Node& node : graph.nodes()) {
    ClusterEditor editor(graph, node, cap);
    count += fuse_quantized_sums(editor, node) ? 1 : 0;
  }
  if (count > 0) import_own_domain(graph);
  return count;
}

}  // namespace ortool
