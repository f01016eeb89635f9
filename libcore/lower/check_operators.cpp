// Operator check: finds operators and versions that are not in the catalog.
#include "libcore/lower/check_operators.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcore/base/build_profile.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/foreign_operators.hpp"

namespace ortool {
namespace {

/// ": it …" for an operator that is known to run elsewhere only.
std::string foreign_suffix(const Node& node) {
  const std::optional<ForeignReason> foreign = foreign_reason(node);
  return foreign ? ": " + foreign->reason : std::string();
}

/// Whether the catalog knows the domain.
bool has_operators(std::string_view domain) {
  const auto entries = catalog();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const OpEntry& entry) { return entry.schema->domain == domain; });
}

std::string unknown_hint(const Graph& graph, const Node& first, bool is_too_new) {
  if (const std::optional<ForeignReason> foreign = foreign_reason(first)) return foreign->advice;
  if (!is_too_new && is_minimal_build()) return std::string(minimal_build_hint);
  if (!is_too_new && !has_operators(first.domain())) {
    return format("load a library that has it by {}, or define it by {}",
                  setting_name("custom-ops"), setting_name("define-op"));
  }
  if (!is_too_new) return "'ortool providers --kernels' lists what is supported";
  return format("opset {} is newer than {}, the newest one known; convert the model",
                graph.opset(""), newest_opset);
}

}  // namespace

void check_operators_known(const Graph& graph) {
  const bool is_too_new = graph.opset("") > newest_opset;
  std::set<std::string> names;
  std::vector<const Node*> nodes;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph& current = *open.back();
    open.pop_back();
    for (const Node& node : current.nodes()) {
      const OpEntry* entry = find_op(node.domain(), node.op_type());
      const bool is_known = entry != nullptr && version_of(*entry, node) != nullptr;
      for (const Graph* body : node.subgraphs()) open.push_back(body);
      if (is_known && !(is_too_new && node.domain().empty())) continue;
      nodes.push_back(&node);
      names.insert(format("{}{}{}-{}", node.domain(), node.domain().empty() ? "" : ".",
                          node.op_type(), graph.opset(node.domain())));
    }
  }
  if (nodes.empty()) return;
  const std::vector<std::string> listed(names.begin(), names.end());
  const Node& first = *nodes.front();
  Error error(ErrorCode::unsupported,
              nodes.size() == 1
                  ? format("operator {} is not supported{}", listed.front(), foreign_suffix(first))
                  : format("operators of {} nodes are not supported: {}{}", nodes.size(),
                           list_names(listed), listed.size() == 1 ? foreign_suffix(first) : ""),
              unknown_hint(graph, first, is_too_new));
  error.with_id("node.operator.unknown").at_node(shorten(first.name()), shorten(first.op_type()));
  for (const Node* node : nodes) {
    error.add_part(
        Error(ErrorCode::unsupported, "the operator is not supported" + foreign_suffix(*node))
            .at_node(node->name(), node->op_type())
            .with_id("node.operator.unknown"));
  }
  throw error;
}

}  // namespace ortool
