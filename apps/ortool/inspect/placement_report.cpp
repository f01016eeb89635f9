// Placement report: from a session if possible, otherwise by asking providers node by node.
#include "apps/ortool/inspect/placement_report.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

using Providers = std::vector<std::shared_ptr<const Provider>>;

NodePlacement describe(const Node& node) {
  const Node* owner = node.graph().owner();
  NodePlacement row;
  row.node = node.name();
  row.op_type = node.op_type();
  row.inside = owner != nullptr ? owner->name() : std::string_view();
  return row;
}

void take_over(const Placement& from, NodePlacement& row) {
  row.provider = from.provider;
  row.kernel = from.kernel;
  row.reasons = from.reasons;
}

/// The file's nodes, each with the placement of its name in the session. Nodes that the session
/// created (from functions or quantized clusters) come last.
std::vector<NodePlacement> rows_of(const Session& session, const Model& model) {
  std::map<std::pair<std::string_view, std::string_view>, std::deque<const Placement*>> by_name;
  std::map<std::string_view, const Placement*> by_origin;
  for (const Placement& placement : session.placement()) {
    by_name[{placement.node, placement.op_type}].push_back(&placement);
    for (const std::string& origin : placement.origins) by_origin.emplace(origin, &placement);
  }
  std::vector<NodePlacement> rows;
  for (const Graph* graph : graphs_in(*model.graph)) {
    for (const Node& node : graph->nodes()) {
      NodePlacement row = describe(node);
      const auto found = by_name.find({node.name(), node.op_type()});
      row.is_absorbed = found == by_name.end() || found->second.empty();
      if (!row.is_absorbed) {
        take_over(*found->second.front(), row);
        found->second.pop_front();
      } else if (const auto made = by_origin.find(node.name()); made != by_origin.end()) {
        row.is_absorbed = false;
        take_over(*made->second, row);
      }
      rows.push_back(std::move(row));
    }
  }
  for (const Placement& placement : session.placement()) {
    auto& left = by_name[{placement.node, placement.op_type}];
    if (left.empty() || left.front() != &placement) continue;
    left.pop_front();
    NodePlacement row;
    row.node = placement.node;
    row.op_type = placement.op_type;
    take_over(placement, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Asks the providers, in order, for the nodes of each graph.
class PlacementQuery {
 public:
  PlacementQuery(const Invocation& invocation, const Model& model, const Providers& providers)
      : invocation_(invocation), providers_(providers) {
    for (const Graph* graph : graphs_in(*model.graph)) {
      ask(*graph);
      for (const Node& node : graph->nodes()) order_.push_back(&node);
    }
  }

  std::vector<NodePlacement> take() {
    std::vector<NodePlacement> rows;
    for (const Node* node : order_) rows.push_back(std::move(rows_.at(node)));
    return rows;
  }

 private:
  static bool is_known(const Node& node) {
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    return entry != nullptr && version_of(*entry, node) != nullptr;
  }

  void ask(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      NodePlacement row = describe(node);
      if (is_control_flow(node)) row.provider = row.kernel = "runtime";
      if (!is_known(node)) row.reasons.emplace_back("the operator or its version is unknown");
      rows_.emplace(&node, std::move(row));
    }
    for (const auto& provider : providers_) {
      const Claims claims = provider->claims(graph);
      for (const Refusal& refusal : claims.refused) {
        NodePlacement& row = rows_.at(refusal.node);
        if (row.provider.empty() && is_known(*refusal.node)) {
          row.reasons.push_back(format("{}: {}", provider->name(), refusal.reason));
        }
      }
      for (const Claim& claim : claims.taken) {
        for (const Node* member : claim.members) {
          NodePlacement& row = rows_.at(member);
          if (!row.provider.empty() || !is_known(*member)) continue;
          row.provider = provider->name();
          row.kernel = kernel_of(*member, *provider);
        }
      }
    }
  }

  /// Compiled only for its name; empty if that fails.
  std::string kernel_of(const Node& node, const Provider& provider) const {
    invocation_.stop.poll();
    Workers alone;
    try {
      const NodeView view(node);
      ConstantStore constants = ConstantStore::share(view.inputs());
      std::vector<PlacedGroup> group(1, PlacedGroup{view, &provider, {}});
      Progress untold(StepFunction(), "");
      const std::vector<CompiledStep> steps =
          compile(group, constants, {.workers = alone, .cap = &invocation_.memory}, untold);
      return std::string(steps.front().kernel_name());
    } catch (const Error&) {
      return {};
    }
  }

  const Invocation& invocation_;
  const Providers& providers_;
  std::unordered_map<const Node*, NodePlacement> rows_;
  std::vector<const Node*> order_;
};

std::vector<std::string> find_unavailable() {
  std::vector<std::string> result;
  for (const ProviderEntry& entry : provider_list()) {
    const std::string reason = entry.make == nullptr ? std::string(entry.unavailable_because)
                                                     : entry.make({})->unavailable_because();
    if (!reason.empty()) result.push_back(format("{}: {}", entry.name, reason));
  }
  return result;
}

}  // namespace

std::int64_t PlacementReport::unsupported_count() const {
  return std::count_if(nodes.begin(), nodes.end(),
                       [](const NodePlacement& row) { return row.is_unsupported(); });
}

PlacementReport find_placement(const Invocation& invocation, const Model& model,
                               const std::string& path) {
  if (path == "-") {
    throw Error(ErrorCode::invalid, "standard input cannot be read again to place its nodes",
                "give the model as a file")
        .with_id("usage.value");
  }
  const Providers providers = choose_providers(invocation);
  PlacementReport report;
  report.is_given = true;
  report.unavailable = find_unavailable();
  try {
    std::unique_ptr<Model> copy = load_model_at(path).model;
    apply_shape_options(invocation.options, *copy);
    ThreadPool pool(thread_count(invocation.options));
    const Session session(std::move(copy), session_options(invocation, providers, pool));
    check_pinned_providers(invocation.options, session);
    check_kept_floats(invocation.options, session);
    report.nodes = rows_of(session, model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    report.nodes = PlacementQuery(invocation, model, providers).take();
  }
  return report;
}

std::shared_ptr<const std::unordered_map<std::string, std::string>> providers_by_node(
    const PlacementReport& report) {
  auto providers = std::make_shared<std::unordered_map<std::string, std::string>>();
  for (const NodePlacement& row : report.nodes) {
    if (row.inside.empty() && !row.provider.empty()) providers->emplace(row.node, row.provider);
  }
  return providers;
}

Json placed_node_block(const NodePlacement& row) {
  Json block = Json::object().set("node", row.node).set("op_type", row.op_type);
  if (!row.inside.empty()) block.set("parent_node", row.inside);
  return block.set("provider", text_or_null(row.provider))
      .set("kernel", text_or_null(row.kernel))
      .set("absorbed", row.is_absorbed)
      .set("reasons", Json::list_of(row.reasons));
}

Json placement_block(const PlacementReport& report) {
  std::map<std::string, std::int64_t> counts;
  for (const NodePlacement& row : report.nodes) {
    if (!row.provider.empty()) ++counts[row.provider];
  }
  Json providers = Json::list();
  for (const auto& [provider, count] : counts) {
    providers.add(Json::object().set("provider", provider).set("nodes", count));
  }
  return Json::object()
      .set("providers", std::move(providers))
      .set("unsupported", report.unsupported_count())
      .set("unavailable", Json::list_of(report.unavailable))
      .set("nodes", Json::list_from(report.nodes.size(), [&report](std::size_t i) {
             return placed_node_block(report.nodes[i]);
           }));
}

void write_placement(const PlacementReport& report, std::string_view select, TextSink& out) {
  TextTable table;
  table.add_row({"node", "operator", "provider", "kernel", ""});
  std::map<std::string, std::int64_t> counts;
  std::int64_t absorbed = 0;
  for (const NodePlacement& row : report.nodes) {
    if (!row.provider.empty()) ++counts[row.provider];
    absorbed += row.is_absorbed ? 1 : 0;
    if (!matches_glob(row.node, select)) continue;
    std::string remark;
    for (const std::string& reason : row.reasons) remark += (remark.empty() ? "" : "; ") + reason;
    if (row.is_absorbed) remark = "computed at load time, or as part of another node";
    const std::string place = row.inside.empty() ? "" : format(" (in {})", shorten(row.inside, 40));
    table.add_row({shorten(row.node, 60) + place, shorten(row.op_type, 40),
                   !row.provider.empty()  ? row.provider
                   : row.is_unsupported() ? "NONE"
                                          : "-",
                   row.kernel.empty() ? "-" : row.kernel, remark});
  }
  out += table.to_string();
  for (const auto& [provider, count] : counts) {
    out += format("{}: {} nodes\n", provider, count);
  }
  if (absorbed > 0)
    out += format("{} nodes are computed as part of others or at load time\n", absorbed);
  const std::int64_t unsupported = report.unsupported_count();
  if (unsupported > 0) out += format("{} nodes cannot run\n", unsupported);
  for (const std::string& reason : report.unavailable) out += format("not available: {}\n", reason);
}

}  // namespace ortool
