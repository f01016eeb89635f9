// Slices of a concatenation read the original operands instead.
#include <algorithm>
#include <optional>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// A run of operands of a Concat, and the slice of them along its axis.
struct ConcatSlice {
  std::int64_t axis = 0;
  std::int64_t first = 0;  ///< operand index
  std::int64_t last = 0;
  Integers starts, ends;  ///< of the Slice, for all its axes, relative to the operands
  Integers axes;
  bool takes_all = true;  ///< all elements of those operands
};

std::optional<Integers> known_axes(const Slice& slice, std::int64_t rank) {
  if (!slice.starts.is_known() || !slice.ends.is_known()) return std::nullopt;
  if (slice.steps.is_given() &&
      (!slice.steps.is_known() || std::any_of(slice.steps.value->begin(), slice.steps.value->end(),
                                              [](std::int64_t step) { return step != 1; })))
    return std::nullopt;
  Integers axes;
  if (slice.axes.is_given() && !slice.axes.is_known()) return std::nullopt;
  for (std::size_t i = 0; i < slice.starts.value->size(); ++i) {
    const std::int64_t axis =
        slice.axes.is_known() ? (*slice.axes.value)[i] : static_cast<std::int64_t>(i);
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  return axes;
}

/// The offsets of the operands along the axis, and the end of the last; nothing when a size is
/// unknown.
std::optional<Integers> borders(const Node& concat, std::int64_t axis) {
  Integers places = {0};
  for (std::int64_t i = 0; i < concat.input_count(); ++i) {
    const Dimensions* dimensions = dimensions_of(*concat.input(i));
    if (dimensions == nullptr || !(*dimensions)[static_cast<std::size_t>(axis)].is_known())
      return std::nullopt;
    places.push_back(places.back() + (*dimensions)[static_cast<std::size_t>(axis)].number());
  }
  return places;
}

/// Whether the operands are compatible for all values of symbols.
bool fit_together(const Node& concat, std::int64_t axis) {
  const Dimensions* first = dimensions_of(*concat.input(0));
  for (std::int64_t i = 1; i < concat.input_count(); ++i) {
    const Dimensions* other = dimensions_of(*concat.input(i));
    if (first == nullptr || other == nullptr || first->size() != other->size()) return false;
    for (std::size_t k = 0; k < first->size(); ++k) {
      if (static_cast<std::int64_t>(k) != axis && !are_equal((*first)[k], (*other)[k]))
        return false;
    }
  }
  return true;
}

std::optional<ConcatSlice> cut_of(const Match& match) {
  const Node& concat = match.node("joined");
  const std::int64_t rank = rank_of(match["joined"]);
  const auto slice = read_op<Slice>(match.root());
  const std::optional<Integers> axes = known_axes(slice, rank);
  if (!axes || rank <= 0) return std::nullopt;
  ConcatSlice cut{.starts = *slice.starts.value, .ends = *slice.ends.value, .axes = *axes};
  cut.axis = read_op<Concat>(concat).axis;
  if (cut.axis < 0) cut.axis += rank;
  const auto place = std::find(cut.axes.begin(), cut.axes.end(), cut.axis);
  const std::optional<Integers> borders_found = borders(concat, cut.axis);
  if (place == cut.axes.end() || !borders_found) return std::nullopt;
  const Integers& edges = *borders_found;
  const auto at = static_cast<std::size_t>(place - cut.axes.begin());
  const Slice::Range range = Slice::range(edges.back(), cut.starts[at], cut.ends[at], 1);
  if (range.count <= 0) return std::nullopt;
  const std::int64_t end = range.start + range.count;
  const auto operand_of = [&](std::int64_t element) {
    return std::upper_bound(edges.begin(), edges.end(), element) - edges.begin() - 1;
  };
  cut.first = operand_of(range.start);
  cut.last = operand_of(end - 1);
  const std::int64_t begin = edges[static_cast<std::size_t>(cut.first)];
  cut.starts[at] = range.start - begin;
  cut.ends[at] = end - begin;
  cut.takes_all = cut.axes.size() == 1 && cut.starts[at] == 0 &&
                  end == edges[static_cast<std::size_t>(cut.last) + 1];
  return cut;
}

}  // namespace

Rule take_joined_parts() {
  const Pattern joined = any_op("Concat").as("joined").shared();
  return {.name = "merge-slice-concat",
          .summary = "Slice(Concat(a, b)) of one operand -> Slice(a) or a",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op("Slice", {joined, maybe(any()), maybe(any()), maybe(any()), maybe(any())}),
          .where =
              [](const Match& match) {
                const std::optional<ConcatSlice> cut = cut_of(match);
                if (!cut) return no("its range of the concatenated axis is unknown");
                if (!fit_together(match.node("joined"), cut->axis))
                  return no("the operands of the Concat are not known to match");
                return cut->first == cut->last ? yes() : no("it spans several operands");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const ConcatSlice cut = *cut_of(replacement.match());
            Value& part = *replacement.match().node("joined").input(cut.first);
            if (cut.takes_all) return part;
            return add_slice(replacement, part,
                             {cut.axes, cut.starts, cut.ends, Integers(cut.axes.size(), 1)});
          }};
}

}  // namespace ortool
