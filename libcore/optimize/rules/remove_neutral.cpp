// Removal of neutral arithmetic, bit-exactly: x * 1, but not x + 0, which turns -0 into 0.
#include <cmath>
#include <string>

#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/preserved_patterns.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Larger constants are not examined.
constexpr std::int64_t max_neutral_elements = std::int64_t{1} << 16;

constexpr const char* pattern_stays =
    "other runtimes recognize the normalization or biased product by these weights";

/// Whether all elements are `number`, including the sign of a floating-point 0.
bool is_all(const Tensor& tensor, double number) {
  if (!is_arithmetic(tensor.type()) || tensor.element_count() > max_neutral_elements ||
      tensor.element_count() == 0)
    return false;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double element = element_as_double(tensor, i);
    if (element != number) return false;
    if (is_floating_point(tensor.type()) && std::signbit(element) != std::signbit(number))
      return false;
  }
  return true;
}

bool is_neutral(const Node& node, const Tensor& tensor) {
  const bool is_sum = node.op_type() == "Add" && is_floating_point(tensor.type());
  return is_all(tensor, is_sum ? -0.0 : static_cast<double>(traits_of(node).neutral));
}

}  // namespace

Rule remove_neutral_operand() {
  const auto has_neutral = [](const Node& node) { return traits_of(node).neutral >= 0; };
  return {.name = "remove-neutral-operand",
          .summary = "x * 1, x / 1, x - 0, x + 0 of integers, x and true, x or false -> x",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op(OpTrait::elementwise, {any("x"), constant("c")}).where_node(has_neutral),
          .where =
              [](const Match& match) {
                if (!is_neutral(match.root(), match["c"].constant()))
                  return no("the constant is not the identity element");
                if (completes_known_pattern(match, match["x"], match["c"]))
                  return no(pattern_stays);
                if (have_equal_types(match["x"], match.result())) return yes();
                return no("the shape is not known to stay the same");
              },
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

/// Zeros of either sign; only the sign of zeros in x can change.
Rule remove_zero_addend() {
  const Pattern x = any("x");
  const Pattern zeros = constant("zeros");
  return {.name = "remove-zero-addend",
          .summary = "x + 0, x - 0 of floats -> x",
          .pattern = any_of({op("Add", {x, zeros}), op("Sub", {x, zeros})}),
          .where =
              [](const Match& match) {
                if (!is_filled_with(match["zeros"], 0)) return no("the constant is not all zeros");
                if (completes_known_pattern(match, match["x"], match["zeros"]))
                  return no(pattern_stays);
                if (have_equal_types(match["x"], match.result())) return yes();
                return no("the shape is not known to stay the same");
              },
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

Rule remove_known_where() {
  return {.name = "remove-known-where",
          .summary = "Where with a condition that is all true or all false -> that operand",
          .level = OptimizeLevel::basic,
          .pattern = op("Where", {constant("condition"), any("yes"), any("no")}),
          .where =
              [](const Match& match) {
                const Tensor& condition = match["condition"].constant();
                const bool is_true = is_all(condition, 1);
                if (!is_true && !is_all(condition, 0)) return no("both operands are selected");
                if (!have_equal_types(match[is_true ? "yes" : "no"], match.result()))
                  return no("the shape is not known to stay the same");
                const Dimensions* other = dimensions_of(match[is_true ? "no" : "yes"]);
                const bool fits =
                    other != nullptr && broadcasts_into(*other, *dimensions_of(match.result()));
                return fits ? yes() : no("the other operand is not known to broadcast");
              },
          .replace = [](Replacement& replacement) -> Value& {
            return replacement[is_all(replacement["condition"].constant(), 1) ? "yes" : "no"];
          }};
}

Rule remove_double_negation() {
  return {.name = "remove-double-negation",
          .summary = "Neg(Neg(x)), Not(Not(x)), BitwiseNot(BitwiseNot(x)) -> x",
          .level = OptimizeLevel::basic,
          .pattern = any_of({op("Neg", {op("Neg", {any("x")}).shared()}),
                             op("Not", {op("Not", {any("x")}).shared()}),
                             op("BitwiseNot", {op("BitwiseNot", {any("x")}).shared()})}),
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

Rule remove_repeated_function() {
  const auto repeats = [](const Node& node) {
    const Node* first = node.input(0)->producer();
    return first != nullptr && first->op_type() == node.op_type() &&
           first->domain() == node.domain();
  };
  const Pattern first = op(OpTrait::idempotent, {any("x")}).as("first").shared();
  return {.name = "remove-repeated-function",
          .summary = "Relu(Relu(x)) -> Relu(x); the same for Abs, Ceil, Floor, Round, Sign",
          .level = OptimizeLevel::basic,
          .pattern = op(OpTrait::idempotent, {first}).where_node(repeats),
          .replace = [](Replacement& replacement) -> Value& { return replacement["first"]; }};
}

}  // namespace ortool
