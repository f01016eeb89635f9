// Activation fusion: arithmetic forms of Swish, HardSwish, Mish and others.
#include <cmath>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

Verdict is_of_floats(const Match& match) {
  return is_float_tensor(match["x"]) ? yes() : no("its type is not a float");
}

}  // namespace

Rule fuse_swish() {
  const Pattern x = any("x");
  return {.name = "fuse-swish",
          .summary = "x * sigmoid(x) -> Swish(x)",
          .pattern = op("Mul", {x, any_of({op("Sigmoid", {x}),
                                           op("Sigmoid", {op("Mul", {x, scalar("alpha")})})})}),
          .makes = {"Swish"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            NewAttributes attributes;
            if (match.find("alpha") != nullptr)
              attributes.push_back({"alpha", static_cast<float>(match.number("alpha"))});
            return replacement.add("Swish", {&replacement["x"]}, std::move(attributes));
          }};
}

namespace {

/// x + 3 clamped to [0, 6].
Pattern clipped(const Pattern& x) {
  const Pattern sum = x + 3.0;
  const Pattern by_attributes = op("Clip", {sum}).where_node([](const Node& node) {
    const auto clip = read_op<Clip>(node);
    return clip.low.is_known() && clip.high.is_known() && *clip.low.value == 0.0F &&
           *clip.high.value == 6.0F;
  });
  return any_of({op("Clip", {sum, number(0), number(6)}), by_attributes});
}

}  // namespace

/// x times x/6 + 1/2 clamped to [0, 1], https://arxiv.org/abs/1905.02244.
Rule fuse_hard_swish() {
  const Pattern x = any("x");
  const Pattern hard_sigmoid = op("HardSigmoid", {x}).where_node([](const Node& node) {
    const auto op = read_op<HardSigmoid>(node);
    return std::abs(op.alpha - 1.0F / 6) < 1e-6F && op.beta == 0.5F;
  });
  return {.name = "fuse-hard-swish",
          .summary = "x * clip(x + 3, 0, 6) / 6, x * hard_sigmoid(x) -> HardSwish(x)",
          .pattern = any_of({op("Mul", {x, hard_sigmoid}), op("Mul", {x, clipped(x) / 6.0}),
                             op("Mul", {x, clipped(x)}) / 6.0}),
          .makes = {"HardSwish"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("HardSwish", {&replacement["x"]});
          }};
}

Rule fuse_hard_sigmoid() {
  return {.name = "fuse-hard-sigmoid",
          .summary = "clip(x + 3, 0, 6) / 6 -> HardSigmoid(x)",
          .pattern = clipped(any("x")) / 6.0,
          .makes = {"HardSigmoid"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("HardSigmoid", {&replacement["x"]}, {{"alpha", 1.0F / 6}});
          }};
}

/// For opsets without HardSwish; the final division is folded into the linear function.
Rule fuse_hard_sigmoid_product() {
  const Pattern x = any("x");
  return {.name = "fuse-hard-sigmoid-product",
          .summary = "x * clip(x + 3, 0, 6) / 6 -> x * HardSigmoid(x)",
          .pattern = op("Mul", {x, clipped(x)}) / 6.0,
          .makes = {"HardSigmoid", "Mul"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            Value& given = replacement["x"];
            return replacement.add(
                "Mul", {&given, &replacement.add("HardSigmoid", {&given}, {{"alpha", 1.0F / 6}})});
          }};
}

/// https://arxiv.org/abs/1908.08681.
Rule fuse_mish() {
  const Pattern x = any("x");
  return {.name = "fuse-mish",
          .summary = "x * tanh(softplus(x)) -> Mish(x)",
          .pattern = op("Mul", {x, op("Tanh", {op("Softplus", {x})})}),
          .makes = {"Mish"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("Mish", {&replacement["x"]});
          }};
}

}  // namespace ortool
