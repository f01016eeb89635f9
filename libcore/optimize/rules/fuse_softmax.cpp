// Softmax and LogSoftmax fusion from exponentials.
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// The only axis of a reduction that keeps it; otherwise -1.
template <typename Op>
std::int64_t kept_axis(const Node& node, std::int64_t rank) {
  const auto op = read_op<Op>(node);
  if (!op.keep_dimensions || rank <= 0 || !op.axes.is_known()) return -1;
  const std::vector<std::int64_t> axes = op.reduced_axes(rank, *op.axes.value);
  return axes.size() == 1 ? axes.front() : -1;
}

}  // namespace

/// Requires the subtraction of the maximum: without it, exponentials may overflow where Softmax
/// does not.
Rule fuse_softmax() {
  const Pattern x = any("x");
  const Pattern largest = op("ReduceMax", {x, maybe(any())}).as("largest");
  const Pattern power = op("Exp", {op("Sub", {x, largest})}).as("power");
  return {.name = "fuse-softmax",
          .summary = "exp(x - max(x)) / sum(exp(x - max(x))) -> Softmax(x)",
          .pattern = op("Div", {power, op("ReduceSum", {power, maybe(any())}).as("sum")}),
          .makes = {"Softmax"},
          .where =
              [](const Match& match) {
                if (!is_float_tensor(match["x"])) return no("its type is not a float");
                const std::int64_t rank = rank_of(match["x"]);
                const std::int64_t axis = kept_axis<ReduceMax>(match.node("largest"), rank);
                if (axis < 0 || axis != kept_axis<ReduceSum>(match.node("sum"), rank))
                  return no("they are not known to be along the same axis");
                // Before opset 13 Softmax took all axes from its axis on together.
                return match.graph().opset("") >= 13 || axis == rank - 1
                           ? yes()
                           : no("before opset 13 Softmax is along the last axis only");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const std::int64_t axis =
                kept_axis<ReduceMax>(match.node("largest"), rank_of(match["x"]));
            return replacement.add("Softmax", {&match["x"]}, {{"axis", axis}});
          }};
}

Rule fuse_log_softmax() {
  return {.name = "fuse-log-softmax",
          .summary = "log(Softmax(x)) -> LogSoftmax(x)",
          .pattern = op("Log", {op("Softmax", {any("x")}).as("softmax")}),
          .makes = {"LogSoftmax"},
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const auto axis = read_op<Softmax>(match.node("softmax")).axis;
            return replacement.add("LogSoftmax", {&match["x"]}, {{"axis", axis}});
          }};
}

}  // namespace ortool
