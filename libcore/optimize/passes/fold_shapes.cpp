// Shape folding: integers that follow from static input shapes become constants, as do shapes of
// Reshape with at most one element that is neither known nor copied.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/known_values.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/layout/reshape.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/refusals.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::string_view fold_shapes_name = "fold-shapes";

/// The value as a tensor if it is of integers and all are known.
std::optional<Tensor> known_tensor(const Value& value, const KnownElements& elements) {
  const DataType type = element_of(value);
  if (type != DataType::int64 && type != DataType::int32 && type != DataType::boolean)
    return std::nullopt;
  const std::optional<Shape> shape = to_known(value.type().shape);
  if (!shape || shape->element_count() != static_cast<std::int64_t>(elements.size()))
    return std::nullopt;
  for (const KnownElement& element : elements) {
    if (!element.is_number() || element.denominator != 1) return std::nullopt;
  }
  Tensor tensor(type, *shape);
  for (std::size_t i = 0; i < elements.size(); ++i)
    set_element(tensor, static_cast<std::int64_t>(i), elements[i].numerator.number());
  return tensor;
}

/// Whether it is empty for every run.
bool is_empty(const Value& value) {
  const Dimensions* dimensions = dimensions_of(value);
  return dimensions != nullptr &&
         std::find(dimensions->begin(), dimensions->end(), Dimension(0)) != dimensions->end();
}

class ShapeFolding {
 public:
  ShapeFolding(Model& model, const RewriteOptions& options, RewriteReport& report)
      : known_(infer_known_values(model)),
        options_(options),
        notes_(fold_shapes_name, options, report) {}

  void run(Graph& graph) {
    for (Node& node : graph.nodes()) {
      options_.poll();
      if (node.domain().empty() && node.op_type() == "Reshape") write_shape(graph, node);
      note_unchecked(node);
      make_constants(graph, node);
    }
  }

 private:
  const KnownElements* elements_of(const Value& value) const {
    const auto found = known_.find(&value);
    return found != known_.end() ? &found->second : nullptr;
  }

  /// Whether inference has checked the node's operands: a slice of an empty tensor is empty
  /// whatever its bounds, but the node may reject the bounds.
  bool knows_operands(const Node& node) const {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) != nullptr && unchecked_.contains(&captured_root(*node.input(i))))
        return false;
    }
    for (std::int64_t i = 1; i < node.input_count(); ++i) {
      const Value* operand = node.input(i);
      if (operand == nullptr || follows_from_shapes(*operand)) continue;
      const KnownElements* elements = elements_of(captured_root(*operand));
      if (elements == nullptr || std::any_of(elements->begin(), elements->end(),
                                             [](const auto& each) { return each.is_unknown(); }))
        return false;
    }
    return true;
  }

  /// Notes outputs that appear known although the node may reject its operands at run time.
  void note_unchecked(const Node& node) {
    if (node.op_type() == "Shape" || node.op_type() == "Size") return;
    const std::vector<Value*> outputs = outputs_of(node);
    const bool seems_known = std::any_of(outputs.begin(), outputs.end(), [&](const Value* output) {
      return elements_of(*output) != nullptr || is_empty(*output);
    });
    if (!seems_known || knows_operands(node)) return;
    unchecked_.insert(outputs.begin(), outputs.end());
  }

  void make_constants(Graph& graph, Node& node) {
    if (!node.subgraphs().empty() || may_change(node)) return;
    std::vector<std::pair<Value*, Tensor>> tensors;
    const std::vector<Value*> outputs = outputs_of(node);
    for (Value* output : outputs) {
      const KnownElements* elements = elements_of(*output);
      if (elements == nullptr) return;
      if (output->is_graph_output() && options_.fold_limits.keeps_outputs) return;
      std::optional<Tensor> tensor = known_tensor(*output, *elements);
      if (!tensor) return;
      tensors.emplace_back(output, std::move(*tensor));
    }
    if (tensors.empty()) return;
    if (unchecked_.contains(tensors.front().first)) {
      notes_.left(node.name(), "an operand that the node checks is only known at run time");
      return;
    }
    if (!notes_.permits(node.name())) return;
    graph.remove_node(node);
    for (auto& [value, tensor] : tensors) graph.set_constant(*value, std::move(tensor));
  }

  void write_shape(Graph& graph, Node& node) {
    if (graph.opset("") < opset_of_input("Reshape", "shape") || node.input_count() < 2) return;
    const Value* shape = node.input(1);
    if (shape == nullptr || constant_of(*shape) != nullptr || rank_of(*shape) != 1) return;
    const KnownElements* elements = elements_of(*shape);
    if (elements == nullptr) return;
    Dimensions to;
    for (const KnownElement& element : *elements) {
      // Elements unknown before the run are checked by it.
      if (element.is_unknown()) return;
      to.push_back(element.numerator);
    }
    const auto numbers =
        written_shape(dimensions_of(*node.input(0)), to, read_op<Reshape>(node).zero_is_zero);
    if (!numbers) {
      notes_.left(node.name(), "more than one dimension is only known at run time");
      return;
    }
    if (!notes_.permits(node.name())) return;
    const auto count = static_cast<std::int64_t>(numbers->size());
    graph.set_input(node, 1,
                    &graph.add_constant("", Tensor::of<std::int64_t>(
                                                {count}, std::span<const std::int64_t>(*numbers))));
  }

  KnownValues known_;
  std::unordered_set<const Value*> unchecked_;
  const RewriteOptions& options_;
  PassNotes notes_;
};

}  // namespace

Pass fold_shapes() {
  return {.name = fold_shapes_name,
          .summary = "replaces integers that follow from shapes by constants",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            ShapeFolding folding(model, options, report);
            for (Graph* graph : graphs_in(*model.graph)) folding.run(*graph);
          }};
}

}  // namespace ortool
