// Quantized fusion: visits each QuantizeLinear in order, so that the inputs of a cluster have been
// rewritten already; then the remaining products.
#include "libcore/lower/fuse_quantized.hpp"

#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

/// Counts clusters, and records their nodes on request.
class ClusterCount {
 public:
  explicit ClusterCount(ClusterNotes* notes) : notes_(notes) {}

  bool is_full() const { return notes_ != nullptr && count_ >= notes_->most; }
  std::int64_t count() const { return count_; }

  /// `rewrite` rewrites one cluster, or returns that there is none.
  template <typename Rewrite>
  void visit(Graph& graph, Node& end, const Rewrite& rewrite) {
    std::vector<std::string> names;
    if (notes_ != nullptr) names = cluster_names(end);
    const Value* result = end.output(0);
    if (!rewrite()) return;
    ++count_;
    if (notes_ == nullptr) return;
    if (result->is_in(graph)) give_origins(*result->producer(), names);
    notes_->members.push_back(std::move(names));
  }

 private:
  static void give_origins(Node& node, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "\n") + name;
    node.mutable_notes().metadata.emplace_back(origin_key, text);
  }

  ClusterNotes* notes_;
  std::int64_t count_ = 0;
};

}  // namespace

std::int64_t fuse_quantized(Graph& graph, MemoryCap* cap, ClusterNotes* notes) {
  if (graph.opset("") < opset_of("QuantizeLinear")) return 0;
  ClusterCount clusters(notes);
  for (Node& node : graph.nodes()) {
    const std::optional<Quantization> to = quantized(node);
    if (!to || clusters.is_full()) continue;
    ClusterEditor editor(graph, node, cap);
    clusters.visit(graph, node, [&] {
      return fuse_quantized_product(editor, node, *to) ||
             fuse_quantized_conv_transpose(editor, node, *to) ||
             fuse_quantized_binary(editor, node, *to) || fuse_quantized_mean(editor, node, *to) ||
             fuse_quantized_chain(editor, node, *to);
    });
  }
  // The remaining products have float results.
  for (Node& node : graph.nodes()) {
    const bool is_product = node.op_type() == "MatMul" || node.op_type() == "Gemm";
    if (!is_product || clusters.is_full()) continue;
    ClusterEditor editor(graph, node, cap);
    clusters.visit(graph, node, [&] { return fuse_quantized_sums(editor, node); });
  }
  if (clusters.count() > 0) import_domain(graph, own_domain, own_opset);
  return clusters.count();
}

}  // namespace ortool
