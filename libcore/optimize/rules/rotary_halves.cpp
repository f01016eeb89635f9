// Rotated halves: pairs half a head apart, matched by two Slices or a Split, a Neg and a Concat.
#include "libcore/optimize/rules/rotary_halves.hpp"

#include <optional>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/optimize/rewrite/size_source.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/attention_patterns.hpp"

namespace ortool {
namespace {

/// The bounds of a Slice, or of an output of a Split, along the last axis of a rank-4 value.
std::optional<Slice::Range> last_axis_range(const Node& node, std::int64_t size,
                                            std::int64_t output) {
  if (node.op_type() == "Split") {
    const std::int64_t axis = integer_attribute(node, "axis", 0);
    const Dimensions* part = dimensions_of(*node.output(output));
    if ((axis != -1 && axis != heads_rank - 1) || node.output_count() != 2 || part == nullptr ||
        !part->back().is_known())
      return std::nullopt;
    const std::int64_t count = part->back().number();
    return Slice::Range{output == 0 ? 0 : size - count, 1, count};
  }
  const auto slice = read_op<Slice>(node);
  if (!slice.starts.is_known() || !slice.ends.is_known() || !slice.axes.is_known() ||
      slice.starts.value->size() != 1 || slice.axes.value->size() != 1 ||
      (slice.steps.is_given() && !slice.steps.is_known()))
    return std::nullopt;
  const std::int64_t axis = slice.axes.value->front();
  if (axis != -1 && axis != heads_rank - 1) return std::nullopt;
  return Slice::range(size, slice.starts.value->front(), slice.ends.value->front(),
                      slice.steps.is_known() ? slice.steps.value->front() : 1);
}

}  // namespace

Pattern rotated_halves(const Pattern& cos, const Pattern& sin) {
  const Pattern x = any("x");
  const auto half = [&](const char* name, std::int64_t index) {
    return any_of(
        {op("Slice", {x, maybe(any()), maybe(any()), maybe(any()), maybe(any())}).as(name),
         op("Split", {x, maybe(any())}).output(index).as(name)});
  };
  const Pattern rotated =
      op("Concat", {op("Neg", {half("upper", 1)}), half("lower", 0)}).as("rotated");
  return op("Add", {op("Mul", {x, cos}), op("Mul", {rotated, sin})});
}

Verdict rotates_halves(const Match& match) {
  const Dimensions* x = dimensions_of(match["x"]);
  if (!is_float_tensor(match["x"])) return no("its type is not a float");
  if (x == nullptr || x->size() != heads_rank || !(*x)[3].is_known() || (*x)[3].number() % 2 != 0)
    return no("the heads are unknown");
  const std::int64_t size = (*x)[3].number();
  const auto upper = last_axis_range(match.node("upper"), size, 1);
  const auto lower = last_axis_range(match.node("lower"), size, 0);
  const std::int64_t axis = read_op<Concat>(match.node("rotated")).axis;
  if (!upper || !lower || upper->start != size / 2 || upper->count != size / 2 ||
      upper->step != 1 || lower->start != 0 || lower->count != size / 2 || lower->step != 1 ||
      (axis != -1 && axis != heads_rank - 1))
    return no("the halves of the heads are not swapped");
  return yes();
}

bool can_repeat(const Graph& graph, const Dimension& have, const Dimension& batch) {
  if (are_equal(have, batch)) return true;
  return have == Dimension(1) && (batch.is_known() || find_size(graph, batch));
}

Value& repeated_rows(Replacement& replacement, Value& rows, const Dimension& have,
                     const Dimension& batch) {
  if (are_equal(have, batch)) return rows;
  Integers to(static_cast<std::size_t>(rank_of(rows)), 1);
  if (batch.is_known()) {
    to.front() = batch.number();
    return replacement.add("Expand", {&rows, &replacement.integers(std::move(to))});
  }
  Value& count = add_size(replacement, *find_size(replacement.graph(), batch));
  to.pop_back();
  Value& shape = replacement.add("Concat", {&count, &replacement.integers(std::move(to))},
                                 {{"axis", std::int64_t{0}}});
  return replacement.add("Expand", {&rows, &shape});
}

}  // namespace ortool
