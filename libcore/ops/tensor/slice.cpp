// Slice in its versions; 10 made the bounds inputs and brought steps.
#include "libcore/ops/tensor/slice.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> slice_inputs = {{"data", "T"},
                                                        {"starts", "Tind"},
                                                        {"ends", "Tind"},
                                                        {"axes", "Tind", Formal::Count::optional},
                                                        {"steps", "Tind", Formal::Count::optional}};

struct SliceBounds {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

SliceBounds slice_bounds(std::int64_t rank, const Slice::Integers& starts,
                         const Slice::Integers& ends, const std::optional<Slice::Integers>& axes,
                         const std::optional<Slice::Integers>& steps) {
  SliceBounds bounds{starts, ends, axes.value_or(Slice::Integers()),
                     steps.value_or(Slice::Integers(starts.size(), 1))};
  if (!axes) {
    for (std::size_t i = 0; i < starts.size(); ++i)
      bounds.axes.push_back(static_cast<std::int64_t>(i));
  }
  const std::size_t count = starts.size();
  if (ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count) {
    throw Error(ErrorCode::invalid,
                format("there are {} starts, {} ends, {} axes and {} steps (expected as many of "
                       "each)",
                       count, ends.size(), bounds.axes.size(), bounds.steps.size()));
  }
  bounds.axes = normalize_axes(bounds.axes, rank);
  return bounds;
}

/// What is left of a dimension that is not known: all of it, nothing, or who knows.
Dimension slice_unknown(const Dimension& dimension, std::int64_t start, std::int64_t end,
                        std::int64_t step) {
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  const bool is_all =
      (start == 0 && end >= far && step == 1) || (start == -1 && end <= -far && step == -1);
  if (is_all) return dimension;
  const bool same_side = (start >= 0) == (end >= 0);
  const bool is_nothing = same_side && (step > 0 ? end <= start : end >= start);
  return is_nothing ? Dimension(0) : Dimension();
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
  // The lowest step has no positive counterpart as a signed number.
  const std::uint64_t stride =
      is_forward ? static_cast<std::uint64_t>(step) : 0U - static_cast<std::uint64_t>(step);
  const std::uint64_t steps_inside = static_cast<std::uint64_t>(distance - 1) / stride;
  return {first, steps_inside == 0 ? 1 : step, static_cast<std::int64_t>(steps_inside) + 1};
}

std::vector<Slice::Range> Slice::ranges(const Shape& shape, const Integers& starts,
                                        const Integers& ends, const std::optional<Integers>& axes,
                                        const std::optional<Integers>& steps) {
  const SliceBounds bounds = slice_bounds(shape.rank(), starts, ends, axes, steps);
  std::vector<Range> result;
  for (const std::int64_t dimension : shape) result.push_back({0, 1, dimension});
  for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
    result[static_cast<std::size_t>(bounds.axes[i])] =
        range(shape[bounds.axes[i]], bounds.starts[i], bounds.ends[i], bounds.steps[i]);
  }
  return result;
}

void Slice::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  const auto known_starts = known_integers(context, starts);
  const auto known_ends = known_integers(context, ends);
  const auto known_axes = known_integers(context, axes);
  const auto known_steps = known_integers(context, steps);
  const bool knows_axes = known_axes || !axes.is_given();
  const bool knows_all =
      known_starts && known_ends && knows_axes && (known_steps || !steps.is_given());
  if (!shape || !knows_all) {
    if (shape && knows_axes && known_axes) {
      // Only the axes named change.
      for (const std::int64_t axis :
           normalize_axes(*known_axes, static_cast<std::int64_t>(shape->size())))
        (*shape)[static_cast<std::size_t>(axis)] = Dimension();
    } else if (shape) {
      *shape = Dimensions(shape->size());
    }
    context.set_output(0, context.element(0), std::move(shape));
    return;
  }
  const SliceBounds bounds = slice_bounds(static_cast<std::int64_t>(shape->size()), *known_starts,
                                          *known_ends, known_axes, known_steps);
  std::optional<Dimensions> values = shape->size() == 1 ? shape_values(context, 0) : std::nullopt;
  for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
    Dimension& dimension = (*shape)[static_cast<std::size_t>(bounds.axes[i])];
    const Range part = range(dimension.is_known() ? dimension.number() : 0, bounds.starts[i],
                             bounds.ends[i], bounds.steps[i]);
    if (!dimension.is_known()) {
      dimension = slice_unknown(dimension, bounds.starts[i], bounds.ends[i], bounds.steps[i]);
      values.reset();
      continue;
    }
    dimension = part.count;
    if (!values) continue;
    Dimensions picked;
    for (std::int64_t k = 0; k < part.count; ++k)
      picked.push_back((*values)[static_cast<std::size_t>(part.start + k * part.step)]);
    values = std::move(picked);
  }
  context.set_output(0, context.element(0), std::move(shape));
  set_shape_values(context, context.element(0), std::move(values));
}

}  // namespace ortool
