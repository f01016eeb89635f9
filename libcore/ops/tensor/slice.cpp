// Versions of Slice; 10 made the bounds inputs and added steps.
#include "libcore/ops/tensor/slice.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> slice_inputs = {{"data", "T"},
                                                        {"starts", "Tind"},
                                                        {"ends", "Tind"},
                                                        {"axes", "Tind", Formal::Count::optional},
                                                        {"steps", "Tind", Formal::Count::optional}};

/// The sliced axes; throws unless there is one for each bound.
std::vector<std::int64_t> slice_axes(std::int64_t rank, std::size_t starts, std::size_t ends,
                                     const std::optional<Slice::Integers>& axes,
                                     std::optional<std::size_t> steps) {
  std::vector<std::int64_t> result = axes.value_or(Slice::Integers());
  for (std::size_t i = 0; !axes && i < starts; ++i) result.push_back(static_cast<std::int64_t>(i));
  if (ends != starts || result.size() != starts || steps.value_or(starts) != starts) {
    throw Error(ErrorCode::invalid,
                format("there are {} starts, {} ends, {} axes and {} steps (expected as many of "
                       "each)",
                       starts, ends, result.size(), steps.value_or(starts)));
  }
  return normalize_axes(result, rank);
}

/// Beyond any size: exporters use such bounds for "to the end".
bool is_far(const Dimension& bound) {
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  return bound.is_known() && (bound.number() >= far || bound.number() <= -far);
}

/// A bound counted from the front, not clamped yet. Formulas are sizes or their negatives.
Dimension from_front(const Dimension& bound, const Dimension& size) {
  if (is_far(bound)) return bound.number() > 0 ? size : Dimension(-1);
  return is_at_least(0, bound) && bound != Dimension(0) ? size + bound : bound;
}

/// The count of Slice::range as a formula; `step` is not 0.
Dimension slice_count(const Dimension& size, const Dimension& start, const Dimension& end,
                      std::int64_t step) {
  if (start.is_unknown()) return start.or_because(end);
  if (end.is_unknown()) return end;
  if (start == Dimension(-1) && is_far(end) && end.number() < 0 && step < 0)
    return ceil_divide(size, -Dimension(step));
  const Dimension first = from_front(start, size);
  const Dimension last = from_front(end, size);
  if (step > 0) {
    const Dimension stop = min(last, size);
    // Positions before the axis are dropped: stop - max(first, 0).
    const Dimension span = is_at_least(first, 0) ? stop - first : min(stop - first, stop);
    return max(ceil_divide(span, step), 0);
  }
  const Dimension from = max(min(first, size - 1), 0);
  const Dimension to = max(min(last, size - 1), -1);
  // An empty axis yields an empty slice, whatever the bounds are.
  return min(max(ceil_divide(from - to, -Dimension(step)), 0), size);
}

/// Selects known elements by known bounds; does nothing when a bound is not a number.
void pick_slice(InferContext& context, const std::vector<std::int64_t>& axes,
                const Dimensions& starts, const Dimensions& ends, const Dimensions& steps) {
  const std::optional<KnownTensor> known = known_input(context, 0);
  if (!known) return;
  std::vector<Slice::Range> ranges;
  for (const std::int64_t dimension : known->shape) ranges.push_back({0, 1, dimension});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!starts[i].is_known() || !ends[i].is_known() || !steps[i].is_known()) return;
    ranges[static_cast<std::size_t>(axes[i])] = Slice::range(
        known->shape[axes[i]], starts[i].number(), ends[i].number(), steps[i].number());
  }
  std::vector<std::int64_t> positions = {0};
  for (std::int64_t axis = 0; axis < known->shape.rank(); ++axis) {
    const Slice::Range& range = ranges[static_cast<std::size_t>(axis)];
    const std::int64_t stride = known->shape.product(axis + 1, known->shape.rank());
    std::vector<std::int64_t> next;
    for (const std::int64_t position : positions) {
      for (std::int64_t i = 0; i < range.count; ++i)
        next.push_back(position + (range.start + i * range.step) * stride);
    }
    positions = std::move(next);
  }
  pick_elements(context, positions);
}

/// The size of `dimension` after slicing; a number when all four arguments are.
Dimension sliced(const Dimension& dimension, const Dimension& start, const Dimension& end,
                 const Dimension& step) {
  if (!step.is_known()) return step;
  if (step.number() == 0) throw Error(ErrorCode::invalid, "a step is 0 (expected another number)");
  if (dimension.is_known() && start.is_known() && end.is_known())
    return Slice::range(dimension.number(), start.number(), end.number(), step.number()).count;
  return slice_count(dimension, start, end, step.number());
}

}  // namespace

constinit const OpSchema Slice::schema = {
    "Slice",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axes", AttributeKind::integers},
                     {"ends", AttributeKind::integers, true},
                     {"starts", AttributeKind::integers, true}},
      .types = {{"T", types::all_tensors}}},
     {.since = 10,
      .inputs = slice_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 11,
      .inputs = slice_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = slice_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

void Slice::read(AttributeReader& attributes, int) {
  starts = attributes.integers_or_input("starts", 1);
  ends = attributes.integers_or_input("ends", 2);
  axes = attributes.integers_or_input("axes", 3);
  if (!attributes.knows("starts")) steps = attributes.integers_or_input("steps", 4);
}

Slice::Range Slice::range(std::int64_t dimension, std::int64_t start, std::int64_t end,
                          std::int64_t step) {
  if (step == 0) throw Error(ErrorCode::invalid, "a step is 0 (expected another number)");
  const bool is_forward = step > 0;
  const std::int64_t lowest = is_forward ? 0 : -1;
  const std::int64_t highest = is_forward ? dimension : dimension - 1;
  const std::int64_t first = std::clamp(start < 0 ? start + dimension : start, std::int64_t{0},
                                        std::max(highest, std::int64_t{0}));
  const std::int64_t last =
      std::clamp(end < 0 ? end + dimension : end, lowest, std::max(highest, lowest));
  const std::int64_t distance = dimension == 0 ? 0 : (is_forward ? last - first : first - last);
  if (distance <= 0) return {0, 1, 0};
  // The lowest step has no positive counterpart as a signed integer.
  const std::uint64_t stride =
      is_forward ? static_cast<std::uint64_t>(step) : 0U - static_cast<std::uint64_t>(step);
  const std::uint64_t steps_inside = static_cast<std::uint64_t>(distance - 1) / stride;
  return {first, steps_inside == 0 ? 1 : step, static_cast<std::int64_t>(steps_inside) + 1};
}

std::vector<Slice::Range> Slice::ranges(const Shape& shape, const Integers& starts,
                                        const Integers& ends, const std::optional<Integers>& axes,
                                        const std::optional<Integers>& steps) {
  const std::vector<std::int64_t> cut =
      slice_axes(shape.rank(), starts.size(), ends.size(), axes,
                 steps ? std::optional(steps->size()) : std::nullopt);
  std::vector<Range> result;
  for (const std::int64_t dimension : shape) result.push_back({0, 1, dimension});
  for (std::size_t i = 0; i < cut.size(); ++i) {
    result[static_cast<std::size_t>(cut[i])] =
        range(shape[cut[i]], starts[i], ends[i], steps ? (*steps)[i] : 1);
  }
  return result;
}

void Slice::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (!shape) return context.set_output(0, context.element(0), std::nullopt);
  const auto known_axes = known_integers(context, axes);
  if (axes.is_given() && !known_axes) {
    *shape = Dimensions(shape->size());
    return context.set_output(0, context.element(0), std::move(shape));
  }
  const auto known_starts = known_elements(context, starts);
  const auto known_ends = known_elements(context, ends);
  auto known_steps = known_elements(context, steps);
  // Unknown bounds still apply to certain axes; in the worst case to all of them.
  const std::size_t count = known_axes     ? known_axes->size()
                            : known_starts ? known_starts->size()
                            : known_ends   ? known_ends->size()
                            : known_steps  ? known_steps->size()
                                           : shape->size();
  if (!steps.is_given()) known_steps = Dimensions(count, 1);
  const Dimensions open(count);
  const Dimensions& from = known_starts ? *known_starts : open;
  const Dimensions& to = known_ends ? *known_ends : open;
  const Dimensions& by = known_steps ? *known_steps : open;
  const std::vector<std::int64_t> cut = slice_axes(static_cast<std::int64_t>(shape->size()),
                                                   from.size(), to.size(), known_axes, by.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    Dimension& dimension = (*shape)[static_cast<std::size_t>(cut[i])];
    dimension = sliced(dimension, from[i], to[i], by[i]);
  }
  context.set_output(0, context.element(0), std::move(shape));
  pick_slice(context, cut, from, to, by);
}

}  // namespace ortool
