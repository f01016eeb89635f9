// Slice fusion: Slices that divide one axis of a value among them become a Split.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {
namespace {

/// A Slice along one axis of known size, without a step.
struct Part {
  Node* node = nullptr;
  std::int64_t axis = 0;
  std::int64_t start = 0;
  std::int64_t count = 0;
};

std::optional<Part> part_of(Node& node) {
  if (!node.domain().empty() || node.op_type() != "Slice" || node.input(0)->is_constant())
    return std::nullopt;
  const Dimensions* shape = dimensions_of(*node.input(0));
  const auto slice = read_op<Slice>(node);
  const bool is_known = slice.starts.is_known() && slice.ends.is_known() &&
                        (!slice.axes.is_given() || slice.axes.is_known()) &&
                        (!slice.steps.is_given() || slice.steps.is_known());
  if (shape == nullptr || !is_known || slice.starts.value->size() != 1) return std::nullopt;
  if (slice.steps.is_known() && slice.steps.value->front() != 1) return std::nullopt;
  const std::int64_t given = slice.axes.is_known() ? slice.axes.value->front() : 0;
  Part part{.node = &node, .axis = normalize_axis(given, static_cast<std::int64_t>(shape->size()))};
  const Dimension& dimension = (*shape)[static_cast<std::size_t>(part.axis)];
  if (!dimension.is_known()) return std::nullopt;
  const Slice::Range range =
      Slice::range(dimension.number(), slice.starts.value->front(), slice.ends.value->front(), 1);
  part.start = range.start;
  part.count = range.count;
  return part;
}

using Parts = std::vector<Part>;

/// Whether the parts, sorted by their starts, meet end to end and cover the axis.
bool divide_axis(const Parts& parts) {
  std::int64_t end = 0;
  for (const Part& part : parts) {
    if (part.start != end || part.count <= 0) return false;
    end += part.count;
  }
  const Dimensions& shape = *dimensions_of(*parts.front().node->input(0));
  return end == shape[static_cast<std::size_t>(parts.front().axis)].number();
}

/// The groups in node order, each sorted by starts.
std::vector<Parts> find_slice_groups(const Graph& graph, const RewriteOptions& options) {
  std::vector<Parts> groups;
  std::map<std::pair<const Value*, std::int64_t>, std::size_t> known;
  for (Node& node : graph.nodes()) {
    options.poll();
    const std::optional<Part> part = part_of(node);
    if (!part) continue;
    const auto [found, is_new] = known.try_emplace({node.input(0), part->axis}, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(*part);
  }
  std::erase_if(groups, [](const Parts& parts) { return parts.size() < 2; });
  return groups;
}

void fuse(const Parts& parts, Node& first) {
  Graph& graph = first.graph();
  std::vector<Value*> inputs = {first.input(0)};
  std::vector<Value*> results;
  std::vector<std::int64_t> sizes;
  std::vector<Value*> operands;
  for (const Part& part : parts) {
    results.push_back(part.node->output(0));
    sizes.push_back(part.count);
    for (std::int64_t i = 1; i < part.node->input_count(); ++i)
      operands.push_back(part.node->input(i));
  }
  const std::string name(first.name());
  Node* const behind = first.next();
  // The Split takes the place of the first Slice; the others may be directly behind it.
  Node* place = behind;
  while (place != nullptr && std::any_of(parts.begin(), parts.end(),
                                         [&](const Part& part) { return part.node == place; }))
    place = place->next();
  for (const Part& part : parts) graph.remove_node(*part.node);
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  for (Value* operand : operands) {
    const bool is_left = operand != nullptr && operand->is_constant() && operand->is_in(graph) &&
                         operand->uses().empty() && !operand->is_graph_output();
    if (is_left) graph.remove_value(*operand);
  }
  const bool has_size_input = graph.opset("") >= opset_without_attribute("Split", "split");
  if (has_size_input) {
    const Shape shape{static_cast<std::int64_t>(sizes.size())};
    inputs.push_back(&graph.add_constant(
        "", Tensor::of<std::int64_t>(shape, std::span<const std::int64_t>(sizes))));
  }
  Node& split = graph.add_node("Split", "", inputs, results, name, place);
  split.set_attribute(Attribute{"axis", parts.front().axis});
  if (!has_size_input) split.set_attribute(Attribute{"split", std::move(sizes)});
  check_node(split);
}

void fuse_in(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  for (Parts& parts : find_slice_groups(graph, options)) {
    Node& first = *parts.front().node;
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.start < b.start; });
    if (!divide_axis(parts)) {
      notes.left(first.name(), "the Slices of the axis overlap, or leave something out");
      continue;
    }
    if (!notes.permits(first.name())) return;
    fuse(parts, first);
  }
}

}  // namespace

Pass fuse_slices() {
  return {.name = "fuse-slices",
          .summary = "Slices that divide an axis of one value among them -> one Split",
          .level = OptimizeLevel::extended,
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            // Sessions gain nothing, and some of their fusions look for Slices.
            if (options.is_in_session) return;
            PassNotes notes("fuse-slices", options, report);
            for (Graph* graph : graphs_in(*model.graph)) fuse_in(*graph, options, notes);
          }};
}

}  // namespace ortool
