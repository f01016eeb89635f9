// Transposes sunk below reductions, ArgMax and Softmax, whose axes are permuted accordingly.
#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/optimize/rewrite/transposed_nodes.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

template <typename... Ops>
struct OpList {};
using Reductions = OpList<ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, ReduceMax, ReduceMean,
                          ReduceMin, ReduceProd, ReduceSum, ReduceSumSquare>;

template <typename... Ops>
Reduction read_any(const Node& node, OpList<Ops...>) {
  Reduction result;
  static_cast<void>(
      ((node.op_type() == Ops::schema.name && (result = read_op<Ops>(node), true)) || ...));
  return result;
}

template <typename... Ops>
std::vector<Pattern> reductions_of(const Pattern& x, OpList<Ops...>) {
  return {op(std::string(Ops::schema.name), {x, maybe(any())})...};
}

/// A reduction of the Transpose's input, and the permutation that remains after it.
struct TransposedReduction {
  Integers axes;
  Integers order;  ///< empty when axes stay in order
};

/// Permutes nonnegative axes `reduced` of a value transposed by `order`.
TransposedReduction transposed_by(const Integers& order, const Integers& reduced, bool keeps_axes) {
  TransposedReduction transposed;
  Integers left;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_reduced =
        std::find(reduced.begin(), reduced.end(), static_cast<std::int64_t>(i)) != reduced.end();
    if (is_reduced) transposed.axes.push_back(order[i]);
    if (!is_reduced || keeps_axes) left.push_back(order[i]);
  }
  std::sort(transposed.axes.begin(), transposed.axes.end());
  if (std::is_sorted(left.begin(), left.end())) return transposed;
  Integers sorted = left;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t axis : left)
    transposed.order.push_back(std::find(sorted.begin(), sorted.end(), axis) - sorted.begin());
  return transposed;
}

/// Nothing when the axes are unknown, or none is reduced.
std::optional<TransposedReduction> transposed_reduction(const Match& match) {
  const Reduction reduction = read_any(match.root(), Reductions());
  const auto order = order_of(match.node("turned"));
  if (!order || !reduction.axes.is_known() ||
      (reduction.axes.value->empty() && reduction.nothing_when_empty))
    return std::nullopt;
  const auto rank = static_cast<std::int64_t>(order->size());
  TransposedReduction transposed = transposed_by(
      *order, reduction.reduced_axes(rank, *reduction.axes.value), reduction.keep_dimensions);
  if (transposed.axes.empty()) return std::nullopt;
  return transposed;
}

Value& ordered(Replacement& replacement, Value& x, const Integers& order) {
  return order.empty() ? x : add_transpose(replacement, x, order);
}

/// Whether the second permutation is the inverse of the first.
bool undo_each_other(const Integers& first, const Integers& second) {
  if (first.size() != second.size()) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[static_cast<std::size_t>(second[i])] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

/// The value that remains to be transposed is smaller.
Rule turn_reduction() {
  const Pattern transposed = op("Transpose", {any("x")}).as("turned");
  return {.name = "sink-transpose-reduce",
          .summary =
              "Reduce…(Transpose(x)) -> Reduce…(x) along the original axes, followed by a "
              "Transpose where the remaining axes are in another order",
          .evidence = Evidence::exhaustive,
          .pattern = any_of(reductions_of(transposed, Reductions())),
          .where =
              [](const Match& match) {
                return transposed_reduction(match) ? yes() : no("the axes are unknown");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            TransposedReduction transposed_axes = *transposed_reduction(match);
            const bool keeps = read_any(match.root(), Reductions()).keep_dimensions;
            Value& reduced =
                add_with_axes(replacement, match.root().op_type(), match["x"],
                              std::move(transposed_axes.axes), {{"keepdims", std::int64_t{keeps}}});
            return ordered(replacement, reduced, transposed_axes.order);
          }};
}

Rule turn_arg_extreme() {
  const Pattern transposed = op("Transpose", {any("x")}).as("turned");
  return {.name = "sink-transpose-argmax",
          .summary =
              "ArgMax or ArgMin of Transpose(x) -> the same of x along the original axis, followed "
              "by a Transpose where the remaining axes are in another order",
          .evidence = Evidence::exhaustive,
          .pattern = any_of({op("ArgMax", {transposed}), op("ArgMin", {transposed})}),
          .where =
              [](const Match& match) {
                return order_of(match.node("turned")) ? yes() : no("the rank is unknown");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const ArgExtreme extreme = arg_extreme_of(match.root());
            const Integers order = *order_of(match.node("turned"));
            const auto rank = static_cast<std::int64_t>(order.size());
            const std::int64_t axis = extreme.axis < 0 ? extreme.axis + rank : extreme.axis;
            const TransposedReduction transposed_axes =
                transposed_by(order, {axis}, extreme.keep_dimension);
            Value& found = replacement.add_like(match.root(), {&match["x"]},
                                                {{"axis", transposed_axes.axes.front()}});
            return ordered(replacement, found, transposed_axes.order);
          }};
}

Rule turn_softmax() {
  const Pattern transposed = op("Transpose", {any("x")}).as("turned").shared();
  return {.name = "cancel-transpose-softmax",
          .summary = "Transpose(Softmax(Transpose(x))) -> Softmax(x), where the Transposes cancel",
          .pattern = op("Transpose", {op("Softmax", {transposed}).as("softmax")}),
          .where =
              [](const Match& match) {
                if (read_op<Softmax>(match.node("softmax")).flatten)
                  return no("before opset 13 Softmax is over several axes");
                const auto first = order_of(match.node("turned"));
                const auto second = order_of(match.root());
                const bool is_undone = first && second && undo_each_other(*first, *second);
                return is_undone ? yes() : no("they do not cancel");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Integers order = *order_of(match.node("turned"));
            const Node& softmax = match.node("softmax");
            const std::int64_t given = read_op<Softmax>(softmax).axis;
            const auto rank = static_cast<std::int64_t>(order.size());
            const std::int64_t axis =
                order[static_cast<std::size_t>(given < 0 ? given + rank : given)];
            return replacement.add_like(softmax, {&match["x"]}, {{"axis", axis}});
          }};
}

}  // namespace ortool
