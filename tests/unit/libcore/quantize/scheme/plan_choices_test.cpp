// Plan choices: unique names of nodes, and effects on nodes, weights and scales.
#include "libcore/quantize/scheme/plan_choices.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/quantize/refine/cached_refiner.hpp"
#include "libcore/quantize/scheme/group_params.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> pooled_model() {
  return inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 1, 4, 4] x) => (float[1, 1, 1, 1] y)"
      "<float[1, 1, 2, 2] w = {1, 2, 3, 4}, float[1, 1, 2, 2] v = {1, 2, 3, 4}>"
      "{ [a] p = Conv (x, w) [m] q = MaxPool <kernel_shape = [2, 2]> (p) [b] y = Conv "
      "<pads = [0, 0, 1, 1], strides = [2, 2]> (q, v) }");
}

/// Fixed scales for the named values.
PlanChoices scales_of(std::initializer_list<std::pair<const char*, Scale>> values) {
  PlanChoices choices;
  for (const auto& [name, scale] : values)
    choices.values[name] = {.type = DataType::int8, .scale = scale, .method = {}};
  return choices;
}

TEST_CASE("nodes of one name are told apart by their number") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[2] x) => (float[2] y) { [n] p = Relu (x) [n] q = Relu (p) [other] y = Relu (q) }");
  const auto names = names_apart(*model);
  std::string all;
  for (const Node& node : model->graph->nodes()) all += names.at(&node) + " ";
  CHECK(all == "n n#2 other ");
}

TEST_CASE("a fixed scale holds for all values of its group, without any data") {
  const auto model = pooled_model();
  const QuantizePlan plan = make_plan(*model, {});
  const PlanChoices choices = scales_of({{"x", {0.5F, 1}}, {"q", {0.25F, 2}}});
  std::vector<ChosenValue> chosen;
  const auto params = choose_group_params(plan, {.choices = &choices}, chosen);
  REQUIRE(chosen.size() == 3);
  CHECK(chosen[1].name == "p");
  const GroupParams& moved = params[static_cast<std::size_t>(chosen[1].group)];
  CHECK(moved.scale == Scale{0.25F, 2});
  CHECK(moved.type.type == DataType::int8);
}

TEST_CASE("two scales for one group, and a value without any, are errors that name the values") {
  const auto model = pooled_model();
  const QuantizePlan plan = make_plan(*model, {});
  std::vector<ChosenValue> chosen;
  const PlanChoices two = scales_of({{"p", {0.5F, 1}}, {"q", {0.25F, 2}}});
  CHECK_THROWS_WITH(choose_group_params(plan, {.choices = &two}, chosen),
                    Catch::Contains("'p' and 'q' share one scale"));
  const PlanChoices few = scales_of({{"x", {0.5F, 1}}});
  CHECK_THROWS_WITH(choose_group_params(plan, {.choices = &few}, chosen),
                    Catch::Contains("value 'p' has no scale"));
}

TEST_CASE("a node may store its weights in a way of its own") {
  const auto model = pooled_model();
  PlanRules rules;
  rules.weight_type = [](const Node& node) -> std::optional<DataType> {
    if (node.name() == "b") return DataType::uint8;
    return std::nullopt;
  };
  rules.is_node_per_channel = [](const Node& node) -> std::optional<bool> {
    if (node.name() == "a") return false;
    return std::nullopt;
  };
  const QuantizePlan plan = make_plan(*model, rules);
  CHECK_FALSE(plan.nodes[0].weight_axis);
  CHECK(plan.nodes[2].weight_axis == 0);
  const PlanChoices choices = scales_of({{"x", {0.5F, 1}}, {"q", {0.25F, 2}}});
  std::vector<ChosenValue> chosen;
  PlanParams params;
  params.groups = choose_group_params(plan, {.choices = &choices}, chosen);
  insert_qdq(*model, plan, params);
  std::string types;
  for (const Node& node : model->graph->nodes()) {
    if (node.op_type() != "Conv") continue;
    const Node& weights = *node.input(1)->producer();
    types += std::string(name_of(weights.input(0)->type().element)) + " ";
  }
  CHECK(types == "int8 uint8 ");
}

/// Counts how often it is called.
class CountingRefiner : public PlanRefiner {
 public:
  QuantizedData round(const PlannedNode&, QuantizedData nearest) const override {
    ++calls;
    return nearest;
  }
  Tensor correct(const PlannedNode&, const Tensor& bias, const QuantizedData&) const override {
    return bias;
  }
  mutable int calls = 0;
};

TEST_CASE("levels that were refined once are not refined again, others are") {
  const auto model = pooled_model();
  const QuantizePlan plan = make_plan(*model, {});
  const CountingRefiner counting;
  const CachedRefiner cached(counting);
  const auto codes = [](float first) {
    WeightOptions options;
    options.axis = 0;
    return quantize_weights(Tensor::of<float>({1, 1, 2, 2}, {first, 2, 3, 4}), options);
  };
  const QuantizedData once = cached.round(plan.nodes[0], codes(1));
  cached.round(plan.nodes[0], codes(1));
  CHECK(counting.calls == 1);
  CHECK(once.data.bytes()[3] == std::byte{127});
  cached.round(plan.nodes[0], codes(-1));
  CHECK(counting.calls == 2);
}

}  // namespace
}  // namespace ortool
