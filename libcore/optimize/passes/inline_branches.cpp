// Branch inlining: an If with a constant condition is replaced by the taken branch.
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/controlflow/if.hpp"
#include "libcore/optimize/passes/inline_body.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::string_view inline_branches_name = "inline-branches";

/// Also visits the nodes inlined from a branch.
void inline_in(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  for (Node* node = graph.first_node(); node != nullptr;) {
    options.poll();
    Node* const next = node->next();
    const bool is_if = node->domain().empty() && node->op_type() == "If";
    const Tensor* condition =
        is_if && node->input(0) != nullptr ? constant_of(*node->input(0)) : nullptr;
    if (condition == nullptr || condition->element_count() != 1) {
      node = next;
      continue;
    }
    if (!notes.permits(node->name())) return;
    const auto op = read_op<If>(*node);
    const bool is_true = element_as_int64(*condition, 0) != 0;
    Node* const before = node->previous();
    const std::vector<Value*> results =
        inline_body(is_true ? *op.then_branch : *op.else_branch, *node, {}, {});
    replace_node(*node, results);
    node = before != nullptr ? before->next() : graph.first_node();
  }
}

}  // namespace

Pass inline_branches() {
  return {.name = inline_branches_name,
          .summary = "replaces an If with a constant condition by the branch it takes",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes(inline_branches_name, options, report);
            const std::int64_t rewrites = report.rewrites;
            // Outer graphs first: branches that are not taken are skipped.
            std::vector<Graph*> open = {model.graph.get()};
            while (!open.empty()) {
              Graph& graph = *open.back();
              open.pop_back();
              inline_in(graph, options, notes);
              for (const Node& node : graph.nodes()) {
                for (Graph* body : node.subgraphs()) open.push_back(body);
              }
            }
            // Values of a branch keep their names, which other bodies may use too.
            if (report.rewrites != rewrites) make_names_unique(*model.graph);
          }};
}

}  // namespace ortool
