// Sums the MACs of nodes: bodies by their iterations, and the larger of two branches.
#include "libcore/inspect/count_macs.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/product_macs.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

const Graph* graph_attribute(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* graph =
      attribute != nullptr ? std::get_if<std::unique_ptr<Graph>>(&attribute->value) : nullptr;
  return graph != nullptr ? graph->get() : nullptr;
}

/// The maximum number of iterations of a Loop, if it is constant.
Dimension trip_count(const Node& node) {
  const Value* input = node.input(0);
  while (input != nullptr && input->captured() != nullptr) input = input->captured();
  if (input == nullptr || !input->is_constant()) return Dimension();
  const Tensor& tensor = input->constant();
  if (tensor.element_count() != 1 || !is_integer(tensor.type())) return Dimension();
  const std::int64_t trips = element_as_int64(tensor, 0);
  // Exporters write the largest numbers for "until the condition is false".
  constexpr std::int64_t means_no_limit = std::int64_t{1} << 31;
  return trips >= means_no_limit - 1 ? Dimension() : Dimension(std::max<std::int64_t>(trips, 0));
}

std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* list =
      attribute != nullptr ? std::get_if<std::vector<std::int64_t>>(&attribute->value) : nullptr;
  return list != nullptr ? *list : std::vector<std::int64_t>();
}

Dimension dimension_of(const Value* value, std::int64_t axis) {
  if (value == nullptr || !value->type().is_tensor() || !value->type().shape) return {};
  const Dimensions& shape = *value->type().shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t index = axis < 0 ? axis + rank : axis;
  return index >= 0 && index < rank ? shape[static_cast<std::size_t>(index)] : Dimension();
}

/// The number of iterations of a Scan: the length of its first scan input. Opset 8 scans each
/// sequence of a batch.
Dimension scan_length(const Node& node) {
  const Attribute* attribute = node.find_attribute("num_scan_inputs");
  const auto* count = attribute != nullptr ? std::get_if<std::int64_t>(&attribute->value) : nullptr;
  if (count == nullptr || *count < 1 || *count > node.input_count()) return {};
  const Value* scanned = node.input(node.input_count() - *count);
  if (node.graph().opset("") < 9) return dimension_of(scanned, 0) * dimension_of(scanned, 1);
  const std::vector<std::int64_t> axes = integers_attribute(node, "scan_input_axes");
  return dimension_of(scanned, axes.empty() ? 0 : axes.front());
}

using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;

FunctionKey key_of(const Function& function) {
  return {canonical_domain(function.domain), function.name, function.overload};
}

/// The functions with callees before callers; in any order on call cycles.
std::vector<const Function*> callees_first(const Model& model) {
  std::map<FunctionKey, const Function*> known;
  for (const Function& function : model.functions) known.emplace(key_of(function), &function);
  std::set<const Function*> seen;
  std::vector<const Function*> order;
  // Each function is on the stack twice: once to be expanded, and once, after its callees, to be
  // emitted.
  std::vector<std::pair<const Function*, bool>> open;
  for (const Function& function : model.functions) {
    open.emplace_back(&function, false);
    while (!open.empty()) {
      const auto [current, is_done] = open.back();
      open.pop_back();
      if (is_done) {
        order.push_back(current);
        continue;
      }
      if (!seen.insert(current).second) continue;
      open.emplace_back(current, true);
      for (const Graph* graph : graphs_in(*current->body)) {
        for (const Node& node : graph->nodes()) {
          const auto callee = known.find({node.domain(), node.op_type(), node.overload()});
          if (callee != known.end()) open.emplace_back(callee->second, false);
        }
      }
    }
  }
  return order;
}

}  // namespace

MacCounter::MacCounter(const Model& model) {
  for (const Function* function : callees_first(model)) {
    calls_.emplace(key_of(*function), count(*function->body));
  }
}

Cost MacCounter::count(const Node& node) const {
  if (!calls_.empty()) {
    const auto call = calls_.find({node.domain(), node.op_type(), node.overload()});
    if (call != calls_.end()) return call->second;
  }
  if (const auto cost = count_product_macs(node)) return *cost;
  if (node.domain().empty()) {
    const std::string_view op_type = node.op_type();
    const Graph* body = graph_attribute(node, "body");
    if (op_type == "If") {
      const Graph* chosen = graph_attribute(node, "then_branch");
      const Graph* other = graph_attribute(node, "else_branch");
      return Cost::larger(chosen != nullptr ? count(*chosen) : Cost(),
                          other != nullptr ? count(*other) : Cost(),
                          format("macs({})", node.name()));
    }
    if (body != nullptr) {
      const Cost once = count(*body);
      if (once.is_zero()) return once;
      const Dimension unknown = Dimension::unknown_because(std::string(node.name()));
      if (op_type == "Loop") {
        return once.times(trip_count(node).or_because(unknown), format("trips({})", node.name()));
      }
      return once.times((op_type == "Scan" ? scan_length(node) : Dimension()).or_because(unknown),
                        format("steps({})", node.name()));
    }
  }
  if (find_op(node.domain(), node.op_type()) == nullptr) {
    return Cost(Dimension::unknown_because(std::string(node.name())),
                format("macs({})", node.name()));
  }
  return Cost();
}

Cost MacCounter::count(const Graph& graph) const {
  Cost cost;
  for (const Node& node : graph.nodes()) cost.add(count(node));
  return cost;
}

std::int64_t count_parameters(const Node& node) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    while (value != nullptr && value->captured() != nullptr) value = value->captured();
    if (value != nullptr && !value->constant().is_empty()) {
      count += value->constant().element_count();
    }
  }
  return count;
}

}  // namespace ortool
