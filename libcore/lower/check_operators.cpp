// Operator check: finds operators and versions that are not in the catalog.
#include "libcore/lower/check_operators.hpp"

#include <set>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {

void check_operators_known(const Graph& graph, bool (*is_decomposed)(const Node& node)) {
  const bool is_too_new = graph.opset("") > newest_opset;
  std::set<std::string> names;
  std::vector<const Node*> nodes;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph& current = *open.back();
    open.pop_back();
    for (const Node& node : current.nodes()) {
      const OpEntry* entry = find_op(node.domain(), node.op_type());
      const bool is_known =
          entry != nullptr ? version_of(*entry, node) != nullptr : is_decomposed(node);
      // Subgraphs of other operators, such as FlexAttention's, are handled by their kernels.
      if (!is_known || is_control_flow(node)) {
        for (const Graph* body : node.subgraphs()) open.push_back(body);
      }
      if (is_known && !(is_too_new && node.domain().empty())) continue;
      nodes.push_back(&node);
      names.insert(format("{}{}{}-{}", node.domain(), node.domain().empty() ? "" : ".",
                          node.op_type(), graph.opset(node.domain())));
    }
  }
  if (nodes.empty()) return;
  const std::vector<std::string> listed(names.begin(), names.end());
  const Node& first = *nodes.front();
  Error error(
      ErrorCode::unsupported,
      nodes.size() == 1
          ? format("operator {} is not supported", listed.front())
          : format("operators of {} nodes are not supported: {}", nodes.size(), list_names(listed)),
      is_too_new ? format("opset {} is newer than {}, the newest one known; convert the model",
                          graph.opset(""), newest_opset)
                 : std::string("'ortool providers --kernels' lists what is supported"));
  error.with_id("node.operator.unknown").at_node(shorten(first.name()), shorten(first.op_type()));
  for (const Node* node : nodes) {
    error.add_part(Error(ErrorCode::unsupported, "the operator is not supported")
                       .at_node(node->name(), node->op_type())
                       .with_id("node.operator.unknown"));
  }
  throw error;
}

}  // namespace ortool
