// Einsum lowering: one or two operands to MatMul, Mul or ReduceSum with Transposes.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/einsum.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/einsum_plan.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// Axes hidden by an ellipsis are named by digits.
constexpr char first_hidden = '0';

/// The letters of a term, with one for each axis hidden by its ellipsis: the last of `most`.
std::string letters_of(const EinsumTerm& term, std::int64_t hidden, std::int64_t most) {
  std::string letters = term.letters;
  std::string dots;
  for (std::int64_t i = most - hidden; i < most; ++i)
    dots += static_cast<char>(first_hidden + static_cast<char>(i));
  if (term.ellipsis >= 0) letters.insert(static_cast<std::size_t>(term.ellipsis), dots);
  return letters;
}

bool has_repeats(std::string letters) {
  std::sort(letters.begin(), letters.end());
  return std::adjacent_find(letters.begin(), letters.end()) != letters.end();
}

/// The formula, and the length of each axis.
struct EinsumSizes {
  EinsumLetters letters;  ///< `b` is empty when there is one operand
  std::map<char, Dimension> sizes;
};

/// Nothing when ranks are unknown, a letter occurs twice in a term, or a shared axis may be
/// broadcast.
std::optional<EinsumSizes> formula_of(const Match& match) {
  constexpr std::int64_t max_hidden = 8;
  const auto op = read_op<Einsum>(match.root());
  std::vector<const Dimensions*> shapes;
  std::vector<std::int64_t> hidden;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    shapes.push_back(dimensions_of(*match.root().input(static_cast<std::int64_t>(i))));
    if (shapes.back() == nullptr) return std::nullopt;
    hidden.push_back(static_cast<std::int64_t>(shapes.back()->size()) -
                     static_cast<std::int64_t>(op.inputs[i].letters.size()));
  }
  const std::int64_t most = *std::max_element(hidden.begin(), hidden.end());
  if (most > max_hidden || (most > 0 && op.output.ellipsis < 0)) return std::nullopt;
  EinsumSizes formula;
  formula.letters.out = letters_of(op.output, most, most);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const std::string letters = letters_of(op.inputs[i], hidden[i], most);
    if (has_repeats(letters)) return std::nullopt;
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      const auto [found, is_new] = formula.sizes.try_emplace(letters[axis], (*shapes[i])[axis]);
      if (!is_new && !are_equal(found->second, (*shapes[i])[axis])) return std::nullopt;
    }
    (i == 0 ? formula.letters.a : formula.letters.b) = letters;
  }
  return formula;
}

Dimensions sizes_of(const EinsumSizes& formula, const AxisGroups& groups) {
  Dimensions sizes;
  for (const std::string& group : groups) {
    Dimension size = 1;
    for (const char letter : group) size = size * formula.sizes.at(letter);
    sizes.push_back(size);
  }
  return sizes;
}

AxisGroups single(const std::string& letters) {
  AxisGroups groups;
  for (const char letter : letters) groups.emplace_back(1, letter);
  return groups;
}

/// The shape operand of a Reshape between the two; nothing when it is unknown.
std::optional<Integers> reshaped(const EinsumSizes& formula, const AxisGroups& from,
                                 const AxisGroups& to) {
  const Dimensions before = sizes_of(formula, from);
  return written_shape(&before, sizes_of(formula, to));
}

bool can_reshape(const EinsumSizes& formula, const AxisGroups& from, const AxisGroups& to) {
  return from == to || reshaped(formula, from, to).has_value();
}

Value& ordered(Replacement& replacement, Value& x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  Integers order;
  for (const char letter : to) order.push_back(static_cast<std::int64_t>(from.find(letter)));
  return add_transpose(replacement, x, std::move(order));
}

Value& grouped(Replacement& replacement, const EinsumSizes& formula, Value& x,
               const AxisGroups& from, const AxisGroups& to) {
  return from == to ? x : add_reshape(replacement, x, *reshaped(formula, from, to));
}

std::optional<EinsumPlan> plan_of(const Match& match, const EinsumSizes& formula) {
  std::optional<EinsumPlan> plan =
      plan_einsum(formula.letters, match["a"].is_constant(), match["b"].is_constant());
  if (!plan) return std::nullopt;
  for (const AxisGroups& groups : {plan->left, plan->right}) {
    if (!can_reshape(formula, single(joined(groups)), groups)) return std::nullopt;
  }
  if (!can_reshape(formula, plan->result, single(joined(plan->result)))) return std::nullopt;
  return plan;
}

/// Whether nothing is summed, so that it is an elementwise product.
bool is_product_of_elements(const EinsumLetters& letters) {
  return std::all_of(letters.a.begin(), letters.a.end(),
                     [&](char each) { return letters.out.find(each) != std::string::npos; }) &&
         std::all_of(letters.b.begin(), letters.b.end(),
                     [&](char each) { return letters.out.find(each) != std::string::npos; });
}

Value& matrix_product(Replacement& replacement, const EinsumSizes& formula) {
  const Match& match = replacement.match();
  const EinsumPlan plan = *plan_of(match, formula);
  const auto operand = [&](bool is_second, const AxisGroups& groups) -> Value& {
    const std::string letters = joined(groups);
    Value& transposed = ordered(replacement, match[is_second ? "b" : "a"],
                                is_second ? formula.letters.b : formula.letters.a, letters);
    return grouped(replacement, formula, transposed, single(letters), groups);
  };
  Value& left = operand(plan.is_swapped, plan.left);
  Value& right = operand(!plan.is_swapped, plan.right);
  const std::string letters = joined(plan.result);
  Value& product = grouped(replacement, formula, replacement.add("MatMul", {&left, &right}),
                           plan.result, single(letters));
  return ordered(replacement, product, letters, formula.letters.out);
}

/// The operand with axes of one element inserted for the letters of the result that it lacks,
/// except leading ones.
Value& spread(Replacement& replacement, Value& x, const std::string& letters,
              const std::string& out) {
  std::string order;
  Integers missing;
  std::int64_t axis = 0;
  for (const char letter : out) {
    const bool is_there = letters.find(letter) != std::string::npos;
    if (is_there) order += letter;
    if (!is_there && !order.empty()) missing.push_back(axis);
    axis += is_there || !order.empty() ? 1 : 0;
  }
  Value& transposed = ordered(replacement, x, letters, order);
  return missing.empty() ? transposed
                         : add_with_axes(replacement, "Unsqueeze", transposed, std::move(missing));
}

/// A sum over axes missing in the result, with the remaining ones in its order.
Value& sum(Replacement& replacement, const EinsumLetters& letters) {
  Integers summed;
  std::string left;
  for (std::size_t i = 0; i < letters.a.size(); ++i) {
    const bool stays = letters.out.find(letters.a[i]) != std::string::npos;
    if (stays) left += letters.a[i];
    if (!stays) summed.push_back(static_cast<std::int64_t>(i));
  }
  Value& a = replacement["a"];
  Value& sums = summed.empty() ? a
                               : add_with_axes(replacement, "ReduceSum", a, std::move(summed),
                                               {{"keepdims", std::int64_t{0}}});
  return ordered(replacement, sums, left, letters.out);
}

Verdict can_replace(const Match& match) {
  if (!is_float_tensor(match["a"])) return no("its type is not a float");
  const std::optional<EinsumSizes> formula = formula_of(match);
  if (!formula)
    return no("a letter occurs twice, or the axes it names are not known to have the same size");
  if (match.find("b") == nullptr || is_product_of_elements(formula->letters) ||
      plan_of(match, *formula))
    return yes();
  return no("its equation is not a matrix product, or the shapes are unknown");
}

}  // namespace

Rule replace_einsum() {
  return {.name = "replace-einsum",
          .summary =
              "Einsum of two operands -> MatMul, or Mul where nothing is summed; of one operand -> "
              "ReduceSum, Transpose",
          .pattern = any_of({op("Einsum", {any("a"), any("b")}), op("Einsum", {any("a")})}),
          .where = can_replace,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const EinsumSizes formula = *formula_of(match);
            const EinsumLetters& letters = formula.letters;
            if (match.find("b") == nullptr) return sum(replacement, letters);
            if (!is_product_of_elements(letters)) return matrix_product(replacement, formula);
            Value& a = spread(replacement, match["a"], letters.a, letters.out);
            return replacement.add("Mul",
                                   {&a, &spread(replacement, match["b"], letters.b, letters.out)});
          }};
}

}  // namespace ortool
