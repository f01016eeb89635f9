// Quantized fusion as a pass over all graphs of a model, for files that only ortool reads.
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/lower/resolve_captures.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/rewrite/pass.hpp"

namespace ortool {
namespace {

/// Of float tables, for 4096 channels.
constexpr std::int64_t max_table_bytes = std::int64_t{4} << 20;

/// Folds a value that is computed from constants alone.
void make_constant(Graph& graph, Value& value, Evaluator& evaluator) {
  Node* const producer = value.producer();
  if (producer == nullptr) return;
  for (std::int64_t i = 0; i < producer->input_count(); ++i) {
    Value* input = producer->input(i);
    if (input == nullptr) continue;
    make_constant(graph, *input, evaluator);
    if (!input->is_constant()) return;
  }
  std::optional<std::vector<Tensor>> results = evaluator.evaluate(*producer, max_table_bytes);
  if (!results || results->size() != 1) return;
  graph.remove_node(*producer);
  graph.set_constant(value, std::move(results->front()));
}

/// Constant folding skips DequantizeLinear of constants, and with it the tables.
void make_tables(Graph& graph, Evaluator& evaluator) {
  for (Node& node : graph.nodes()) {
    const bool has_table = node.op_type() == "ByteLookup" || node.op_type() == "ChannelLookup";
    if (node.domain() == own_domain && has_table) make_constant(graph, *node.input(1), evaluator);
  }
}

}  // namespace

Pass fuse_quantized_pass() {
  return {.name = fuse_quantized_name,
          .summary = "quantized clusters become int8 operators",
          .level = OptimizeLevel::all,
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            if (!options.has_own_operators || options.evaluator == nullptr) return;
            PassNotes notes(fuse_quantized_name, options, report);
            resolve_captures(*model.graph);
            std::int64_t count = 0;
            for (Graph* graph : graphs_in(*model.graph)) {
              options.poll();
              ClusterNotes clusters{.most = options.max_rewrites - report.rewrites};
              const std::int64_t found = fuse_quantized(*graph, nullptr, &clusters);
              if (found > 0) make_tables(*graph, *options.evaluator);
              for (std::vector<std::string>& members : clusters.members)
                notes.changed(std::move(members));
              count += found;
            }
            if (count > 0) infer_shapes(model);
          }};
}

}  // namespace ortool
