// Plans a random model: few fragments, so that bodies share outer values; then nested nodes.
#include "tests/flow/flow_plan.hpp"

#include <algorithm>
#include <utility>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::test {
namespace {

constexpr int max_depth = 3;
constexpr std::int64_t first_scan_opset = 9;
constexpr std::int64_t first_map_opset = 17;

bool is_number(const Value& value) {
  return value.type().is_tensor() && is_arithmetic(value.type().element) &&
         !is_packed(value.type().element);
}

/// Whether one model can hold the nodes of both.
bool go_together(const Fragment& a, const Fragment& b) {
  for (const auto& [domain, version] : a.model->graph->opsets()) {
    const auto other = b.model->graph->opsets().find(domain);
    if (other != b.model->graph->opsets().end() && other->second != version) return false;
  }
  return a.opset() == b.opset();
}

class Planner {
 public:
  Planner(RandomSource& dice, Fragments& fragments, std::uint64_t number) : dice_(dice) {
    const Fragment* first = nullptr;
    for (; first == nullptr; ++number)
      first = fragments.at(static_cast<std::size_t>(number % fragments.group_count()));
    palette_.push_back(first);
    const std::vector<std::size_t>& fitting = fragments.like(*first);
    const std::size_t more = dice_.below(3);
    for (std::size_t i = 0; i < more; ++i) {
      const Fragment* fragment = fragments.at(fitting[dice_.below(fitting.size())]);
      if (fragment != nullptr && go_together(*fragment, *first)) palette_.push_back(fragment);
    }
  }

  BodyPlan plan_main() {
    BodyPlan body;
    if (dice_.percent(30)) body.fragments.push_back(use_fragment(nullptr));
    const std::size_t flows = 1 + dice_.below(2);
    for (std::size_t i = 0; i < flows; ++i) body.flows.push_back(plan_flow(1, &body));
    return body;
  }

 private:
  FlowKind choose_kind() {
    const std::int64_t opset = palette_.front()->opset();
    switch (dice_.below(8)) {
      case 0:
      case 1:
        return FlowKind::loop;
      case 2:
        return opset >= first_scan_opset ? FlowKind::scan : FlowKind::loop;
      case 3:
        return opset >= first_map_opset ? FlowKind::map : FlowKind::loop;
      default:
        return FlowKind::branches;
    }
  }

  FlowPlan plan_flow(int depth, const BodyPlan* outer) {
    FlowPlan flow;
    flow.kind = choose_kind();
    flow.is_else_first = dice_.percent(50);
    flow.swaps_states = dice_.percent(40);
    flow.bodies.push_back(plan_body(depth, flow.kind, outer));
    if (flow.kind != FlowKind::branches) return flow;
    if (dice_.percent(50)) {
      flow.bodies.push_back(twin_of(flow.bodies.front()));
    } else {
      flow.bodies.push_back(plan_body(depth, flow.kind, outer));
    }
    return flow;
  }

  BodyPlan plan_body(int depth, FlowKind kind, const BodyPlan* outer) {
    BodyPlan body;
    const std::size_t fragments = 1 + dice_.below(2);
    for (std::size_t i = 0; i < fragments; ++i) body.fragments.push_back(use_fragment(&kind));
    if (depth < max_depth && dice_.percent(depth == 1 ? 45 : 25))
      body.flows.push_back(plan_flow(depth + 1, &body));
    if (outer != nullptr && !outer->fragments.empty() && dice_.percent(25)) add_peek(*outer, body);
    return body;
  }

  void add_peek(const BodyPlan& outer, BodyPlan& body) {
    const std::size_t fragment = dice_.below(outer.fragments.size());
    std::vector<const Value*> made;
    for (const Node& node : outer.fragments[fragment].fragment->model->graph->nodes()) {
      for (std::int64_t i = 0; i < node.output_count(); ++i) {
        if (node.output(i) != nullptr && is_number(*node.output(i))) made.push_back(node.output(i));
      }
    }
    if (!made.empty()) body.peeks.push_back({fragment, made[dice_.below(made.size())]});
  }

  /// The same fragments on other input values, without nested control flow.
  BodyPlan twin_of(const BodyPlan& body) {
    BodyPlan twin;
    for (const FragmentUse& use : body.fragments) {
      twin.fragments.push_back(use);
      choose_values(twin.fragments.back());
    }
    return twin;
  }

  void choose_values(FragmentUse& use) {
    const std::size_t shared = dice_.below(2);
    const bool is_mixed = dice_.percent(30);
    use.chosen.clear();
    for (const std::vector<Tensor>& values : use.fragment->values) {
      const std::size_t wanted = is_mixed ? dice_.below(2) : shared;
      use.chosen.push_back(std::min(wanted, values.size() - 1));
    }
  }

  FragmentUse use_fragment(const FlowKind* holder) {
    FragmentUse use;
    use.fragment = palette_[dice_.below(palette_.size())];
    choose_values(use);
    for (std::size_t i = 0; i < use.fragment->values.size(); ++i) {
      const bool can_carry = holder != nullptr && *holder != FlowKind::branches;
      const bool can_scan = can_carry && *holder != FlowKind::loop;
      InputRole role = InputRole::captured;
      if (can_carry && dice_.percent(25)) role = InputRole::carried;
      if (can_scan && dice_.percent(30)) role = InputRole::scanned;
      use.roles.push_back(role);
    }
    return use;
  }

  RandomSource& dice_;
  std::vector<const Fragment*> palette_;
};

}  // namespace

const Tensor& tensor_of(const Source& source) {
  const auto& [fragment, input, chosen] = source;
  return fragment->values[input][chosen];
}

std::vector<Source> BodyPlan::sources(InputRole role) const {
  std::vector<Source> result;
  for (const FragmentUse& use : fragments) {
    for (std::size_t i = 0; i < use.roles.size(); ++i) {
      const Source source = {use.fragment, i, use.chosen[i]};
      const bool is_new = std::find(result.begin(), result.end(), source) == result.end();
      if (use.roles[i] == role && is_new) result.push_back(source);
    }
  }
  return result;
}

std::vector<DataType> BodyPlan::types() const {
  std::vector<DataType> result;
  for (const FragmentUse& use : fragments) {
    for (const Value* output : use.fragment->model->graph->outputs())
      result.push_back(output->type().element);
  }
  for (const FlowPlan& flow : flows) {
    for (const DataType type : flow.types()) result.push_back(type);
  }
  for (const Peek& peek : peeks) result.push_back(peek.value->type().element);
  return result;
}

std::vector<DataType> FlowPlan::types() const {
  std::vector<DataType> result;
  if (kind == FlowKind::loop || kind == FlowKind::scan) {
    for (const Source& state : bodies.front().sources(InputRole::carried))
      result.push_back(tensor_of(state).type());
  }
  for (const DataType type : bodies.front().types()) result.push_back(type);
  if (kind != FlowKind::branches) return result;
  const std::vector<DataType> others = bodies.back().types();
  for (std::size_t i = result.size(); i < others.size(); ++i) result.push_back(others[i]);
  return result;
}

BodyPlan make_plan(RandomSource& dice, Fragments& fragments, std::uint64_t number) {
  return Planner(dice, fragments, number).plan_main();
}

}  // namespace ortool::test
