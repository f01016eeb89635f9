// Activations spelled out in arithmetic become one operator.
#include <cmath>
#include <numbers>

#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"

namespace ortool {
namespace {

Verdict is_of_floats(const Match& match) {
  return is_float_tensor(match["x"]) ? yes() : no("it is not made of floats");
}

}  // namespace

/// x/2 (1 + erf(x / √2)), as Hendrycks and Gimpel define it (https://arxiv.org/abs/1606.08415).
Rule fuse_gelu() {
  const Pattern x = any("x");
  const Pattern sum = op("Erf", {x / std::numbers::sqrt2}) + 1.0;
  return {.name = "fuse-gelu",
          .summary = "x * 0.5 * (1 + erf(x / sqrt(2))) -> Gelu(x)",
          .pattern = x * 0.5 * sum,
          .makes = {"Gelu"},
          .where = is_of_floats,
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("Gelu", {&replacement["x"]});
          }};
}

/// x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), of the same paper.
Rule fuse_gelu_tanh() {
  const Pattern x = any("x");
  const double root = std::sqrt(2 / std::numbers::pi);
  const Pattern cube =
      any_of({op("Pow", {x, number(3)}) * 0.044715, x * x * x * 0.044715,
              op("Mul", {op("Mul", {op("Pow", {x, number(2)}), x}), number(0.044715)})});
  // √(2/π) x (1 + 0.044715 x²) is the same.
  const Pattern factored = any_of({x * (op("Pow", {x, number(2)}) * 0.044715 + 1.0) * root,
                                   x * (x * x * 0.044715 + 1.0) * root});
  const Pattern inner = any_of({(x + cube) * root, factored});
  return {
      .name = "fuse-gelu-tanh",
      .summary = "x * 0.5 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) -> Gelu(x)",
      .pattern = x * 0.5 * (op("Tanh", {inner}) + 1.0),
      .makes = {"Gelu"},
      .where = is_of_floats,
      .replace = [](Replacement& replacement) -> Value& {
        return replacement.add("Gelu", {&replacement["x"]}, {{"approximate", std::string("tanh")}});
      }};
}

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

}  // namespace ortool
