// Reductions and Softmax of what a Transpose turned, along the axes that they have before it.
#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"
#include "libcore/optimize/write_node.hpp"

namespace ortool {
namespace {

/// Before it Softmax took all axes from one on together.
constexpr std::int64_t opset_with_softmax_axis = 13;

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

/// The axes of what the Transpose reads that a reduction behind it takes away; nothing where they
/// are not known, stay as 1, or leave axes in another order.
std::optional<Integers> turned_axes(const Match& match) {
  const Reduction reduction = read_any(match.root(), Reductions());
  const auto order = order_of(match.node("turned"));
  if (!order || reduction.keep_dimensions || !reduction.axes.is_known()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(order->size());
  const Integers reduced = reduction.reduced_axes(rank, *reduction.axes.value);
  Integers axes;
  std::int64_t last = -1;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t axis = (*order)[static_cast<std::size_t>(i)];
    if (std::find(reduced.begin(), reduced.end(), i) != reduced.end()) {
      axes.push_back(axis);
    } else if (axis < last) {
      return std::nullopt;
    } else {
      last = axis;
    }
  }
  std::sort(axes.begin(), axes.end());
  if (axes.empty()) return std::nullopt;
  return axes;
}

/// Whether the second order takes back the first.
bool undo_each_other(const Integers& first, const Integers& second) {
  if (first.size() != second.size()) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[static_cast<std::size_t>(second[i])] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

Rule turn_reduction() {
  const Pattern turned = op("Transpose", {any("x")}).as("turned");
  return {.name = "turn-reduction",
          .summary = "Reduce…(Transpose(x)) -> Reduce…(x) along the axes as they were",
          .evidence = Evidence::exhaustive,
          .pattern = any_of(reductions_of(turned, Reductions())),
          .where =
              [](const Match& match) {
                return turned_axes(match) ? yes() : no("axes stay, and in another order");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            return add_with_axes(replacement, match.root().op_type(), match["x"],
                                 *turned_axes(match), {{"keepdims", std::int64_t{0}}});
          }};
}

Rule turn_softmax() {
  const Pattern turned = op("Transpose", {any("x")}).as("turned").shared();
  return {
      .name = "turn-softmax",
      .summary = "Transpose(Softmax(Transpose(x))) -> Softmax(x), where the two undo each other",
      .pattern = op("Transpose", {op("Softmax", {turned}).as("softmax")}),
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_with_softmax_axis)
              return no("Softmax takes several axes before opset 13");
            const auto first = order_of(match.node("turned"));
            const auto second = order_of(match.root());
            const bool is_undone = first && second && undo_each_other(*first, *second);
            return is_undone ? yes() : no("they do not undo each other");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const Integers order = *order_of(match.node("turned"));
        const Node& softmax = match.node("softmax");
        const std::int64_t given = read_op<Softmax>(softmax).axis;
        const auto rank = static_cast<std::int64_t>(order.size());
        const std::int64_t axis = order[static_cast<std::size_t>(given < 0 ? given + rank : given)];
        return replacement.add_like(softmax, {&match["x"]}, {{"axis", axis}});
      }};
}

}  // namespace ortool
