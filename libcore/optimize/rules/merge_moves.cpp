// Two moves of the same elements in a row made one.
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/reshape.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t opset_with_shape_input = 5;

Verdict can_read_orders(const Match& match) {
  const auto second = order_of(match.root());
  const auto first = order_of(match.node("first"));
  if (!first || !second) return no("the rank is not known");
  return first->size() == second->size() ? yes() : no("the orders are of different ranks");
}

/// A shape of zeros copies dimensions of what comes in.
Verdict copies_no_dimension(const Match& match) {
  if (match.graph().opset("") < opset_with_shape_input)
    return no("the shape is an attribute before opset 5");
  const auto reshape = read_op<Reshape>(match.root());
  const Tensor& shape = match["shape"].constant();
  for (std::int64_t i = 0; i < shape.element_count(); ++i) {
    if (element_as_int64(shape, i) == 0 && !reshape.zero_is_zero)
      return no("the new shape copies a dimension of the one between");
  }
  return yes();
}

}  // namespace

Rule merge_transposes() {
  return {.name = "merge-transposes",
          .summary = "Transpose(Transpose(x)) -> Transpose(x)",
          .level = OptimizeLevel::basic,
          .pattern = op("Transpose", {op("Transpose", {any("x")}).as("first").shared()}),
          .where = can_read_orders,
          .replace = [](Replacement& replacement) -> Value& {
            const auto first = *order_of(replacement.match().node("first"));
            const auto second = *order_of(replacement.match().root());
            std::vector<std::int64_t> order;
            for (const std::int64_t axis : second)
              order.push_back(first[static_cast<std::size_t>(axis)]);
            return replacement.add("Transpose", {&replacement["x"]}, {{"perm", order}});
          }};
}

Rule merge_reshapes() {
  return {.name = "merge-reshapes",
          .summary = "Reshape(Reshape(x)) -> Reshape(x)",
          .level = OptimizeLevel::basic,
          .pattern = op("Reshape", {any_of({op("Reshape", {any("x"), maybe(any())}).shared(),
                                            op("Flatten", {any("x")}).shared(),
                                            op("Squeeze", {any("x"), maybe(any())}).shared(),
                                            op("Unsqueeze", {any("x"), maybe(any())}).shared()}),
                                    constant("shape")}),
          .where = copies_no_dimension,
          .replace = [](Replacement& replacement) -> Value& {
            const auto reshape = read_op<Reshape>(replacement.match().root());
            NewAttributes attributes;
            if (reshape.zero_is_zero) attributes.push_back({"allowzero", std::int64_t{1}});
            return replacement.add("Reshape", {&replacement["x"], &replacement["shape"]},
                                   std::move(attributes));
          }};
}

}  // namespace ortool
