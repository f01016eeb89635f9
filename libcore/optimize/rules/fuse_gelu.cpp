// Gelu fusion: x/2 (1 + erf(x / √2)) and its tanh approximation become one Gelu.
#include <cmath>
#include <numbers>

#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

Verdict reads_floats(const Match& match) {
  return is_float_tensor(match["x"]) ? yes() : no("its type is not a float");
}

}  // namespace

/// x/2 (1 + erf(x / √2)), by Hendrycks and Gimpel (https://arxiv.org/abs/1606.08415).
Rule fuse_gelu() {
  const Pattern x = any("x");
  const Pattern sum = op("Erf", {x / std::numbers::sqrt2}) + 1.0;
  return {.name = "fuse-gelu",
          .summary = "x * 0.5 * (1 + erf(x / sqrt(2))) -> Gelu(x)",
          .pattern = x * 0.5 * sum,
          .makes = {"Gelu"},
          .where = reads_floats,
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("Gelu", {&replacement["x"]});
          }};
}

/// x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), from the same paper.
Rule fuse_gelu_tanh() {
  const Pattern x = any("x");
  const double root = std::sqrt(2 / std::numbers::pi);
  const Pattern cube =
      any_of({op("Pow", {x, number(3)}) * 0.044715, x * x * x * 0.044715,
              op("Mul", {op("Mul", {op("Pow", {x, number(2)}), x}), number(0.044715)})});
  // √(2/π) x (1 + 0.044715 x²) is equal.
  const Pattern factored = any_of({x * (op("Pow", {x, number(2)}) * 0.044715 + 1.0) * root,
                                   x * (x * x * 0.044715 + 1.0) * root});
  const Pattern inner = any_of({(x + cube) * root, factored});
  return {
      .name = "fuse-gelu-tanh",
      .summary = "x * 0.5 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) -> Gelu(x)",
      .pattern = x * 0.5 * (op("Tanh", {inner}) + 1.0),
      .makes = {"Gelu"},
      .where = reads_floats,
      .replace = [](Replacement& replacement) -> Value& {
        return replacement.add("Gelu", {&replacement["x"]}, {{"approximate", std::string("tanh")}});
      }};
}

}  // namespace ortool
