// Versions of Pad: 11 made pads and value inputs, 18 added axes, 19 the mode wrap, which is
// accepted in older versions too (early_use.hpp).
#include "libcore/ops/tensor/pad.hpp"

#include <span>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> pad_inputs_11 = {
    {"data", "T"}, {"pads", "tensor(int64)"}, {"constant_value", "T", Formal::Count::optional}};

constexpr std::initializer_list<Formal> pad_inputs_18 = {
    {"data", "T"},
    {"pads", "tensor(int64)"},
    {"constant_value", "T", Formal::Count::optional},
    {"axes", "Tind", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> pad_attributes = {
    {"mode", AttributeKind::string, false, "constant"}};

/// The axes that the pads apply to, in the order of the pads.
using PadPositions = std::vector<std::size_t>;

PadPositions pad_positions(std::int64_t rank, std::size_t pads,
                           const std::optional<std::vector<std::int64_t>>& axes) {
  PadPositions positions;
  if (axes) {
    for (const std::int64_t axis : normalize_axes(*axes, rank))
      positions.push_back(static_cast<std::size_t>(axis));
  } else {
    for (std::int64_t axis = 0; axis < rank; ++axis)
      positions.push_back(static_cast<std::size_t>(axis));
  }
  if (pads != 2 * positions.size()) {
    throw Error(ErrorCode::invalid, format("there are {} pads for {} axes (expected {})", pads,
                                           positions.size(), 2 * positions.size()));
  }
  return positions;
}

Dimension padded(const Dimension& dimension, const Dimension& begin, const Dimension& end,
                 std::size_t axis) {
  // Known numbers are range-checked immediately, so that later arithmetic cannot overflow.
  if (begin.is_known() && end.is_known()) {
    const std::int64_t added = add_sizes(begin.number(), end.number());
    if (dimension.is_known()) static_cast<void>(add_sizes(dimension.number(), added));
  }
  Dimension size = dimension + begin + end;
  if (size.is_known() && size.number() < 0) {
    throw Error(ErrorCode::invalid,
                format("axis {} of size {} with pads {} and {} would have size {}", axis,
                       dimension.to_string(), begin.to_string(), end.to_string(), size.number()));
  }
  return size;
}

}  // namespace

constinit const OpSchema Pad::schema = {
    "Pad",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"mode", AttributeKind::string, false, "constant"},
                     {"paddings", AttributeKind::integers, true},
                     {"value", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 2,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"mode", AttributeKind::string, false, "constant"},
                     {"pads", AttributeKind::integers, true},
                     {"value", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = pad_inputs_11,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::numbers}}},
     {.since = 13,
      .inputs = pad_inputs_11,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 18,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}},
     {.since = 19,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}},
     {.since = 21,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_ir10}, {"Tind", types::indices}}},
     {.since = 23,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_ir11}, {"Tind", types::indices}}},
     {.since = 24,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_ir12}, {"Tind", types::indices}}},
     {.since = 25,
      .inputs = pad_inputs_18,
      .outputs = {{"output", "T"}},
      .attributes = pad_attributes,
      .types = {{"T", types::all_tensors_ir13}, {"Tind", types::indices}}}}};

void Pad::read(AttributeReader& attributes, int version) {
  mode = attributes.choice("mode", {"constant", "reflect", "edge", "wrap"}, Mode::constant);
  value = attributes.number("value", 0);
  pads = attributes.integers_or_input(version == 1 ? "paddings" : "pads", 1);
  if (version >= 18) axes = attributes.integers_or_input("axes", 3);
}

Pad::Edges Pad::edges(std::int64_t rank, const std::vector<std::int64_t>& pads,
                      const std::optional<std::vector<std::int64_t>>& axes) {
  const PadPositions positions = pad_positions(rank, pads.size(), axes);
  Edges result{std::vector<std::int64_t>(static_cast<std::size_t>(rank)),
               std::vector<std::int64_t>(static_cast<std::size_t>(rank))};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    result.begins[positions[i]] = pads[i];
    result.ends[positions[i]] = pads[i + positions.size()];
  }
  return result;
}

void Pad::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  const auto around = known_elements(context, pads);
  const auto known_axes = known_integers(context, axes);
  if (shape && (!around || (axes.is_given() && !known_axes))) {
    *shape = Dimensions(shape->size());
  } else if (shape) {
    const PadPositions positions =
        pad_positions(static_cast<std::int64_t>(shape->size()), around->size(), known_axes);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Dimension& dimension = (*shape)[positions[i]];
      dimension = padded(dimension, (*around)[i], (*around)[i + positions.size()], positions[i]);
    }
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
