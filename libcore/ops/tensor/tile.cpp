// Versions of Tile; version 1 repeats along a single axis.
#include "libcore/ops/tensor/tile.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> tile_inputs = {{"input", "T"}, {"repeats", "T1"}};

std::int64_t legacy_number(const Tensor& tensor, std::string_view what) {
  const double value = tensor.element_count() == 1 ? element_as_double(tensor, 0) : -65;
  const bool is_whole = value >= -64 && value <= 1e9;
  if (!is_whole) throw Error(ErrorCode::invalid, format("input '{}' is not a small integer", what));
  return static_cast<std::int64_t>(value);
}

Dimension repeated(const Dimension& dimension, const Dimension& times, std::size_t axis) {
  if (!times.is_known()) return dimension * times;
  if (times.number() < 0) {
    throw Error(ErrorCode::invalid,
                format("axis {} is repeated {} times (expected 0 or more)", axis, times.number()));
  }
  return dimension.is_known() ? Dimension(multiply_sizes(dimension.number(), times.number()))
                              : dimension * times;
}

/// For each element of a tensor tiled to shape `to`, its source position in shape `from`.
std::vector<std::int64_t> tiled_positions(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> positions = {0};
  std::int64_t stride = from.element_count();
  for (std::int64_t axis = 0; axis < to.rank(); ++axis) {
    if (from[axis] > 0) stride /= from[axis];
    std::vector<std::int64_t> next;
    for (const std::int64_t position : positions) {
      for (std::int64_t i = 0; i < to[axis]; ++i)
        next.push_back(position + i % from[axis] * stride);
    }
    positions = std::move(next);
  }
  return positions;
}

}  // namespace

constinit const OpSchema Tile::schema = {
    "Tile",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}, {"tiles", "T"}, {"axis", "T"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::high_floats}, {"T1", types::int64_only}}},
     {.since = 6,
      .inputs = tile_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}, {"T1", types::int64_only}}},
     {.since = 13,
      .inputs = tile_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"T1", types::int64_only}}}}};

std::vector<std::int64_t> legacy_repeats(const Tensor& tiles, const Tensor& axis,
                                         std::int64_t rank) {
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rank), 1);
  const std::int64_t along = normalize_axis(legacy_number(axis, "axis"), rank);
  repeats[static_cast<std::size_t>(along)] = legacy_number(tiles, "tiles");
  return repeats;
}

void Tile::read(AttributeReader& attributes, int version) {
  one_axis = version < 6;
  if (!one_axis) repeats = attributes.integers_or_input("repeats", 1);
}

void Tile::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  std::optional<Dimensions> known;
  if (!one_axis) {
    known = known_elements(context, repeats);
  } else if (shape && context.input_value(1) != nullptr && context.input_value(2) != nullptr) {
    const std::vector<std::int64_t> numbers = legacy_repeats(
        *context.input_value(1), *context.input_value(2), static_cast<std::int64_t>(shape->size()));
    known.emplace(numbers.begin(), numbers.end());
  }
  if (shape && known && known->size() != shape->size()) {
    throw Error(ErrorCode::invalid, format("there are {} repeats for an input of rank {}",
                                           known->size(), shape->size()));
  }
  if (!shape && known && known->size() <= static_cast<std::size_t>(Shape::max_dimensions))
    shape = Dimensions(known->size());
  for (std::size_t i = 0; shape && i < shape->size(); ++i)
    (*shape)[i] = known ? repeated((*shape)[i], (*known)[i], i) : Dimension();
  context.set_output(0, context.element(0), shape);
  const std::optional<KnownTensor> given = known_input(context, 0);
  const std::optional<Shape> result = given ? to_known(shape) : std::nullopt;
  if (result && are_few(*result)) pick_elements(context, tiled_positions(given->shape, *result));
}

}  // namespace ortool
