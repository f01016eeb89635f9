// Nodes that hand their input on as it is.
#include <numeric>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"

namespace ortool {
namespace {

Value& take_input(Replacement& replacement) {
  return replacement["x"];
}

Verdict has_equal_shape(const Match& match) {
  if (have_equal_types(match["x"], match.result())) return yes();
  return no("nothing says that the shape stays the same");
}

}  // namespace

Rule remove_identity() {
  return {.name = "remove-identity",
          .summary = "Identity(x) -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Identity", {any("x")}),
          .replace = take_input};
}

Rule remove_dropout() {
  return {.name = "remove-dropout",
          .summary = "Dropout(x) -> x, outside of training",
          .level = OptimizeLevel::basic,
          .pattern = op("Dropout", {any("x"), maybe(any()), maybe(any())}),
          .where =
              [](const Match& match) {
                const auto dropout = read_op<Dropout>(match.root());
                const bool is_off = dropout.is_training.is_known()
                                        ? !*dropout.is_training.value
                                        : !dropout.is_training.is_given();
                return is_off ? yes() : no("it may be training");
              },
          .replace = take_input};
}

Rule remove_same_cast() {
  return {.name = "remove-same-cast",
          .summary = "Cast(x) to x's own type -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Cast", {any("x")}),
          .where =
              [](const Match& match) {
                const DataType type = element_of(match["x"]);
                const bool is_same =
                    type != DataType::undefined && type == element_of(match.result());
                return is_same ? yes() : no("the type changes");
              },
          .replace = take_input};
}

Rule remove_same_reshape() {
  const Pattern x = any("x");
  return {.name = "remove-same-reshape",
          .summary = "Reshape, Flatten, Squeeze or Unsqueeze to x's own shape -> x",
          .level = OptimizeLevel::basic,
          .pattern = any_of({op("Reshape", {x, maybe(any())}), op("Flatten", {x}),
                             op("Squeeze", {x, maybe(any())}), op("Unsqueeze", {x, maybe(any())})}),
          .where = has_equal_shape,
          .replace = take_input};
}

Rule remove_same_transpose() {
  return {.name = "remove-same-transpose",
          .summary = "Transpose that leaves all axes where they are -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Transpose", {any("x")}),
          .where =
              [](const Match& match) {
                const auto order = order_of(match.root());
                std::vector<std::int64_t> same(order ? order->size() : 0);
                std::iota(same.begin(), same.end(), 0);
                return order && *order == same ? yes() : no("it moves axes");
              },
          .replace = take_input};
}

Rule remove_same_expand() {
  return {.name = "remove-same-expand",
          .summary = "Expand to x's own shape -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Expand", {any("x"), any()}),
          .where = has_equal_shape,
          .replace = take_input};
}

}  // namespace ortool
