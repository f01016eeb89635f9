// Loop unrolling: a Loop with a small constant trip count is replaced by copies of its body.
#include <optional>

#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/instantiate.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/controlflow/loop.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/passes/inline_body.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::string_view unroll_loops_name = "unroll-loops";

/// Size limits; a body with a single iteration is always unrolled.
constexpr std::int64_t max_trips = 8;
constexpr std::int64_t max_unrolled_nodes = 64;

bool is_constant(const Value* value, std::int64_t number) {
  const Tensor* tensor = value != nullptr ? constant_of(*value) : nullptr;
  return tensor != nullptr && tensor->element_count() == 1 &&
         element_as_int64(*tensor, 0) == number;
}

/// The trip count, if static.
std::optional<std::int64_t> trips_of(const Node& loop, const Graph& body) {
  const Tensor* most = loop.input(0) != nullptr ? constant_of(*loop.input(0)) : nullptr;
  if (most == nullptr || most->element_count() != 1) return std::nullopt;
  if (loop.input(1) != nullptr && !is_constant(loop.input(1), 1)) return std::nullopt;
  const Value* goes_on = body.outputs()[0];
  for (const Node* node = goes_on->producer(); node != nullptr && node->op_type() == "Identity";
       node = goes_on->producer())
    goes_on = node->input(0);
  const bool is_passed_on = goes_on == body.inputs()[1];
  if (!is_passed_on && !is_constant(goes_on, 1)) return std::nullopt;
  return element_as_int64(*most, 0);
}

Value& add_node(Node& before, std::string_view op_type, std::vector<Value*> inputs,
                std::int64_t axis) {
  Graph& graph = before.graph();
  Value& output = graph.add_value("");
  Value* const outputs[] = {&output};
  const bool takes_axes =
      op_type == "Unsqueeze" && graph.opset("") >= opset_of_input("Unsqueeze", "axes");
  if (takes_axes) inputs.push_back(&graph.add_constant("", Tensor::of<std::int64_t>({1}, {axis})));
  Node& node = graph.add_node(op_type, "", inputs, outputs, before.name(), &before);
  if (takes_axes) return output;
  Attribute attribute;
  attribute.name = takes_axes ? "axes" : "axis";
  if (takes_axes) {
    attribute.value = std::vector<std::int64_t>{axis};
  } else {
    attribute.value = axis;
  }
  node.set_attribute(std::move(attribute));
  return output;
}

/// A scan output, concatenated from one row per iteration.
Value& stack(Node& loop, const std::vector<Value*>& rows, const ValueType& type) {
  std::vector<Value*> parts;
  for (Value* row : rows) {
    parts.push_back(&add_node(loop, "Unsqueeze", {row}, 0));
    ValueType part = type;
    if (part.shape) part.shape->front() = 1;
    parts.back()->set_type(std::move(part));
  }
  if (parts.size() == 1) return *parts.front();
  Value& whole = add_node(loop, "Concat", parts, 0);
  whole.set_type(type);
  return whole;
}

/// The value of a body input in one iteration; null when it is not used.
Value* given(Graph& graph, const Value& input, Tensor tensor) {
  return input.uses().empty() ? nullptr : &graph.add_constant("", std::move(tensor));
}

void unroll(Node& loop, const Graph& body, std::int64_t trips) {
  Graph& graph = loop.graph();
  const std::string name(loop.name());
  const auto carried = static_cast<std::size_t>(loop.input_count() - 2);
  std::vector<Value*> state;
  for (std::int64_t i = 2; i < loop.input_count(); ++i) state.push_back(loop.input(i));
  std::vector<std::vector<Value*>> rows(body.outputs().size() - 1 - carried);
  Value* const goes_on = given(graph, *body.inputs()[1], Tensor::scalar(true));
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    std::vector<Value*> inputs = {given(graph, *body.inputs()[0], Tensor::scalar(trip)), goes_on};
    inputs.insert(inputs.end(), state.begin(), state.end());
    const std::vector<Value*> results = inline_body(
        body, loop, inputs, trips == 1 ? std::string() : name + "/" + std::to_string(trip) + "/");
    state.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(results[1 + carried + i]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Value* output = loop.output(static_cast<std::int64_t>(carried + i));
    if (output == nullptr) {
      state.push_back(nullptr);
      continue;
    }
    state.push_back(&stack(loop, rows[i], output->type()));
  }
  replace_node(loop, state);
}

bool may_unroll(const Node& loop, const Graph& body, PassNotes& notes) {
  for (std::int64_t i = 2; i < loop.input_count(); ++i) {
    if (loop.input(i) == nullptr) return false;
  }
  const std::optional<std::int64_t> trips = trips_of(loop, body);
  if (!trips) {
    notes.left(loop.name(), "its trip count is only known at run time");
    return false;
  }
  const bool pays = *trips == 1 || (*trips > 1 && *trips <= max_trips &&
                                    *trips * count_nodes(body) <= max_unrolled_nodes);
  if (!pays) {
    notes.left(loop.name(), std::to_string(*trips) + " times " + std::to_string(count_nodes(body)) +
                                " nodes are too many");
  }
  return pays;
}

void unroll_in(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  for (Node& node : graph.nodes()) {
    options.poll();
    if (!node.domain().empty() || node.op_type() != "Loop") continue;
    const Graph& body = *read_op<Loop>(node).body;
    if (!may_unroll(node, body, notes)) continue;
    if (!notes.permits(node.name())) return;
    unroll(node, body, *trips_of(node, body));
  }
}

}  // namespace

Pass unroll_loops() {
  return {.name = unroll_loops_name,
          .summary = "unrolls a Loop with a small constant trip count",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes(unroll_loops_name, options, report);
            const std::int64_t rewrites = report.rewrites;
            // Inner loops first, so that outer ones copy the result.
            const std::vector<Graph*> graphs = graphs_in(*model.graph);
            for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph)
              unroll_in(**graph, options, notes);
            // The values of a single iteration keep their names, which other bodies may use too.
            if (report.rewrites != rewrites) make_names_unique(*model.graph);
          }};
}

}  // namespace ortool
