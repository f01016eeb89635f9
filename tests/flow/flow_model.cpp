// Control-flow test model: bodies are written from the outside in.
#include "tests/flow/flow_model.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "libcore/graph/graph.hpp"
#include "tests/flow/flow_writer.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t trips = 2;
constexpr std::int64_t ir_version = 10;

class FlowModelBuilder {
 public:
  FlowModelBuilder(RandomSource& dice, Scope& main) : dice_(dice), writer_(dice, main) {}

  /// Writes the nodes of the plan and returns its outputs as values of the scope's graph.
  std::vector<Value*> write_body(Scope& scope, const BodyPlan& plan) {
    std::vector<Value*> outputs;
    for (const FragmentUse& use : plan.fragments) write_fragment(scope, use, outputs);
    for (const FlowPlan& flow : plan.flows) write_flow(scope, flow, outputs);
    for (const BodyPlan::Peek& peek : plan.peeks)
      outputs.push_back(scope.outer->fragments[peek.fragment].at(peek.value));
    return outputs;
  }

  FlowWriter& writer() { return writer_; }

 private:
  static Tensor zero_tensor(DataType type) {
    Tensor tensor(type, Shape({1}));
    if (type != DataType::string)
      std::fill_n(tensor.mutable_bytes(), tensor.size_bytes(), std::byte{0});
    return tensor;
  }

  static Source source_of(const FragmentUse& use, std::size_t input) {
    return {use.fragment, input, use.chosen[input]};
  }

  void write_fragment(Scope& scope, const FragmentUse& use, std::vector<Value*>& outputs) {
    const Graph& graph = *use.fragment->model->graph;
    ValueMap values;
    for (const Value* value : graph.values()) {
      if (value->is_constant()) values[value] = &writer_.constant(scope, value->constant());
    }
    for (std::size_t i = 0; i < use.roles.size(); ++i) {
      const Source source = source_of(use, i);
      const auto own = scope.found.find(source);
      const bool is_own = use.roles[i] != InputRole::captured && own != scope.found.end();
      values[graph.inputs()[i]] = is_own ? own->second.front() : &writer_.find(scope, source);
    }
    copy_nodes(graph, *scope.graph, values, writer_.names());
    for (const Value* output : graph.outputs()) outputs.push_back(values.at(output));
    scope.fragments.push_back(std::move(values));
  }

  void write_flow(Scope& scope, const FlowPlan& plan, std::vector<Value*>& outputs) {
    switch (plan.kind) {
      case FlowKind::branches:
        return write_branches(scope, plan, outputs);
      case FlowKind::loop:
      case FlowKind::scan:
      case FlowKind::map:
        return write_walk(scope, plan, outputs);
    }
  }

  Value& condition(Scope& scope) {
    if (dice_.percent(12)) return writer_.constant(scope, Tensor::scalar(dice_.percent(50)));
    const char* const name = dice_.percent(50) ? "c0" : "c1";
    Value& value = writer_.input(scope, name, Tensor::scalar(true));
    return dice_.percent(25) ? writer_.add_node(scope, "Not", {&value}) : value;
  }

  void write_branches(Scope& scope, const FlowPlan& plan, std::vector<Value*>& outputs) {
    Value* const inputs[] = {&condition(scope)};
    const std::vector<DataType> types = plan.types();
    Node& node = add_flow(scope, "If", inputs, types, outputs);
    for (const bool is_then : {!plan.is_else_first, plan.is_else_first}) {
      const BodyPlan& body = is_then ? plan.bodies.front() : plan.bodies.back();
      Scope inner = enter(scope, node, is_then ? "then_branch" : "else_branch");
      const std::vector<DataType> own = body.types();
      std::vector<Value*> made = write_body(inner, body);
      for (std::size_t i = 0; i < types.size(); ++i) {
        Value& value = i < own.size() && own[i] == types[i]
                           ? *made[i]
                           : writer_.constant(inner, zero_tensor(types[i]));
        inner.graph->add_output(writer_.as_output(inner, value));
      }
    }
    scope.inside = nullptr;
  }

  /// Writes a Loop, Scan or SequenceMap. Scanned inputs go through the values of a source in turn.
  void write_walk(Scope& scope, const FlowPlan& plan, std::vector<Value*>& outputs) {
    const BodyPlan& body = plan.bodies.front();
    const std::vector<Source> states = body.sources(InputRole::carried);
    const std::vector<Source> slices = body.sources(InputRole::scanned);
    const bool is_map = plan.kind == FlowKind::map;
    std::vector<Value*> inputs = first_inputs(scope, plan.kind, slices);
    for (const Source& state : states) inputs.push_back(&writer_.find(scope, state));
    if (plan.kind == FlowKind::scan) add_scanned(scope, slices, inputs);
    std::vector<Value*> made;
    static constexpr std::string_view names[] = {"If", "Loop", "Scan", "SequenceMap"};
    Node& node =
        add_flow(scope, names[static_cast<std::size_t>(plan.kind)], inputs, plan.types(), made);
    if (plan.kind == FlowKind::scan) {
      const auto count = static_cast<std::int64_t>(std::max<std::size_t>(slices.size(), 1));
      node.set_attribute(integer_attribute("num_scan_inputs", count));
    }
    Scope inner = enter(scope, node, "body");
    write_walked_body(inner, plan, states, slices);
    scope.inside = nullptr;
    for (Value* value : made) outputs.push_back(is_map ? &element_of(scope, *value) : value);
  }

  void write_walked_body(Scope& inner, const FlowPlan& plan, const std::vector<Source>& states,
                         const std::vector<Source>& slices) {
    Graph& graph = *inner.graph;
    const bool is_loop = plan.kind == FlowKind::loop;
    if (is_loop) {
      graph.add_input(writer_.names().value(), ValueType::tensor(DataType::int64, {{}}));
      graph.add_input(writer_.names().value(), ValueType::tensor(DataType::boolean, {{}}));
    }
    const bool is_map = plan.kind == FlowKind::map;
    if (is_map) add_slices(inner, slices);
    const std::vector<Value*> carried = add_body_inputs(inner, states, false);
    if (plan.kind == FlowKind::scan) add_slices(inner, slices);
    const std::vector<Value*> made = write_body(inner, plan.bodies.front());
    if (is_loop) {
      Value& goes_on =
          dice_.percent(50) ? *graph.inputs()[1] : writer_.input(inner, "t", Tensor::scalar(true));
      graph.add_output(writer_.as_output(inner, goes_on));
    }
    if (!is_map) {
      for (std::size_t i = 0; i < carried.size(); ++i)
        graph.add_output(next_state(inner, plan, states, carried, i));
    }
    for (Value* value : made) graph.add_output(writer_.as_output(inner, *value));
  }

  /// The state, another one of its type and shape, or a sum with zero that may alias it.
  Value& next_state(Scope& inner, const FlowPlan& plan, const std::vector<Source>& states,
                    const std::vector<Value*>& carried, std::size_t index) {
    Value* value = carried[index];
    const std::size_t other = index ^ 1;
    const Tensor& tensor = tensor_of(states[index]);
    if (plan.swaps_states && other < states.size() &&
        tensor_of(states[other]).type() == tensor.type() &&
        tensor_of(states[other]).shape() == tensor.shape())
      value = carried[other];
    if (tensor.type() == DataType::float32 && dice_.percent(50)) {
      Value& zero = writer_.input(inner, "zero", Tensor::scalar(0.0F));
      return writer_.add_node(inner, "Add", {value, &zero});
    }
    return writer_.as_output(inner, *value);
  }

  /// The trip count and condition of Loop, or the sequences of SequenceMap.
  std::vector<Value*> first_inputs(Scope& scope, FlowKind kind, const std::vector<Source>& slices) {
    std::vector<Value*> inputs;
    if (kind == FlowKind::loop) {
      const Tensor count = Tensor::scalar(trips);
      inputs.push_back(dice_.percent(70) ? &writer_.input(scope, "trips", count)
                                         : &writer_.constant(scope, count));
      const bool has_condition = dice_.percent(50);
      inputs.push_back(has_condition ? &writer_.input(scope, "t", Tensor::scalar(true)) : nullptr);
    }
    if (kind != FlowKind::map) return inputs;
    for (const Source& slice : slices)
      inputs.push_back(&writer_.add_node(scope, "SequenceConstruct", values_of(scope, slice)));
    if (slices.empty()) {
      Value& zero = writer_.input(scope, "zero", Tensor::scalar(0.0F));
      inputs.push_back(&writer_.add_node(scope, "SequenceConstruct", {&zero, &zero}));
    }
    return inputs;
  }

  /// One value of the input per trip.
  std::vector<Value*> values_of(Scope& scope, const Source& slice) {
    const auto& [fragment, input, chosen] = slice;
    std::vector<Value*> values;
    for (std::size_t i = 0; i < static_cast<std::size_t>(trips); ++i) {
      const std::size_t each = (chosen + i) % fragment->values[input].size();
      values.push_back(&writer_.find(scope, {fragment, input, each}));
    }
    return values;
  }

  void add_scanned(Scope& scope, const std::vector<Source>& slices, std::vector<Value*>& inputs) {
    for (const Source& slice : slices) inputs.push_back(&stacked(scope, values_of(scope, slice)));
    if (!slices.empty()) return;
    inputs.push_back(&writer_.constant(scope, Tensor::of<float>(Shape({trips}), {1, 2})));
  }

  Value& stacked(Scope& scope, std::vector<Value*> values) {
    const bool are_inputs = scope.graph->opset("") >= 13;
    for (Value*& value : values) {
      if (are_inputs) {
        const Tensor axis = Tensor::of<std::int64_t>(Shape({1}), {0});
        value = &writer_.add_node(scope, "Unsqueeze", {value, &writer_.constant(scope, axis)});
        continue;
      }
      std::vector<Attribute> axes;
      axes.push_back(integers_attribute("axes", {0}));
      value = &writer_.add_node(scope, "Unsqueeze", {value}, std::move(axes));
    }
    std::vector<Attribute> axis;
    axis.push_back(integer_attribute("axis", 0));
    return writer_.add_node(scope, "Concat", std::move(values), std::move(axis));
  }

  Value& element_of(Scope& scope, Value& sequence) {
    Value& index =
        writer_.constant(scope, Tensor::scalar(static_cast<std::int64_t>(dice_.below(trips))));
    return writer_.add_node(scope, "SequenceAt", {&sequence, &index});
  }

  void add_slices(Scope& inner, const std::vector<Source>& slices) {
    add_body_inputs(inner, slices, true);
    if (!slices.empty()) return;
    inner.graph->add_input(writer_.names().value(), ValueType::tensor(DataType::float32, {{}}));
  }

  /// A slice changes with every trip, so it replaces all other values of its source.
  std::vector<Value*> add_body_inputs(Scope& inner, const std::vector<Source>& sources,
                                      bool are_slices) {
    std::vector<Value*> values;
    for (const Source& source : sources) {
      const Tensor& tensor = tensor_of(source);
      const bool knows_shape = dice_.percent(50);
      PartialShape shape = knows_shape ? to_partial(tensor.shape()) : PartialShape();
      values.push_back(&inner.graph->add_input(writer_.names().value(),
                                               ValueType::tensor(tensor.type(), std::move(shape))));
      if (are_slices || inner.found[source].empty()) inner.found[source] = {values.back()};
    }
    return values;
  }

  Node& add_flow(Scope& scope, std::string_view op_type, std::span<Value* const> inputs,
                 const std::vector<DataType>& types, std::vector<Value*>& outputs) {
    std::vector<Value*> made;
    for (std::size_t i = 0; i < types.size(); ++i)
      made.push_back(&scope.graph->add_value(writer_.names().value()));
    outputs.insert(outputs.end(), made.begin(), made.end());
    return scope.graph->add_node(op_type, "", inputs, made, writer_.names().node());
  }

  /// Opens a body of `node`; until it is written, new nodes of `scope` are inserted before `node`.
  Scope enter(Scope& scope, Node& node, std::string_view name) {
    scope.inside = &node;
    Scope inner;
    inner.graph = &node.make_subgraph(name);
    inner.graph->set_name(std::string(name) + writer_.names().node());
    inner.outer = &scope;
    return inner;
  }

  RandomSource& dice_;
  FlowWriter writer_;
};

void collect_opsets(const BodyPlan& body, OpsetImports& opsets) {
  for (const FragmentUse& use : body.fragments) {
    for (const auto& [domain, version] : use.fragment->model->graph->opsets())
      opsets.emplace(domain, version);
  }
  for (const FlowPlan& flow : body.flows) {
    for (const BodyPlan& inner : flow.bodies) collect_opsets(inner, opsets);
  }
}

}  // namespace

FlowModel make_flow_model(RandomSource& dice, const BodyPlan& plan) {
  FlowModel result;
  result.model = std::make_unique<Model>();
  result.model->ir_version = ir_version;
  result.model->graph = std::make_unique<Graph>("flow");
  Graph& graph = *result.model->graph;
  OpsetImports opsets;
  collect_opsets(plan, opsets);
  graph.set_opsets(std::move(opsets));
  Scope main;
  main.graph = &graph;
  FlowModelBuilder builder(dice, main);
  for (Value* value : builder.write_body(main, plan))
    graph.add_output(builder.writer().as_output(main, *value));
  for (const auto& [first, second] : {std::pair(true, false), {false, true}, {true, true}}) {
    NamedValues inputs = builder.writer().inputs();
    for (auto& [name, value] : inputs) {
      if (name == "c0") value = Tensor::scalar(first);
      if (name == "c1") value = Tensor::scalar(second);
    }
    result.runs.push_back(std::move(inputs));
  }
  return result;
}

}  // namespace ortool::test
