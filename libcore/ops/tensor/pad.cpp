// Pad in its versions; 11 made pads and value inputs, 18 brought axes, 19 the mode wrap.
#include "libcore/ops/tensor/pad.hpp"

#include <string>

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

Pad::Mode read_pad_mode(AttributeReader& attributes, int version) {
  const std::string mode = attributes.string("mode", "constant");
  if (mode == "constant") return Pad::Mode::constant;
  if (mode == "reflect") return Pad::Mode::reflect;
  if (mode == "edge") return Pad::Mode::edge;
  if (mode == "wrap" && version >= 19) return Pad::Mode::wrap;
  throw Error(ErrorCode::invalid, format("attribute 'mode' is '{}' (expected constant, reflect{})",
                                         mode, version >= 19 ? ", edge or wrap" : " or edge"));
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
  mode = read_pad_mode(attributes, version);
  value = attributes.number("value", 0);
  pads = attributes.integers_or_input(version == 1 ? "paddings" : "pads", 1);
  if (version >= 18) axes = attributes.integers_or_input("axes", 3);
}

Pad::Edges Pad::edges(std::int64_t rank, const std::vector<std::int64_t>& pads,
                      const std::optional<std::vector<std::int64_t>>& axes) {
  Edges result{std::vector<std::int64_t>(static_cast<std::size_t>(rank)),
               std::vector<std::int64_t>(static_cast<std::size_t>(rank))};
  std::vector<std::int64_t> positions;
  if (axes) {
    positions = normalize_axes(*axes, rank);
  } else {
    for (std::int64_t axis = 0; axis < rank; ++axis) positions.push_back(axis);
  }
  if (pads.size() != 2 * positions.size()) {
    throw Error(ErrorCode::invalid, format("there are {} pads for {} axes (expected {})",
                                           pads.size(), positions.size(), 2 * positions.size()));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto axis = static_cast<std::size_t>(positions[i]);
    result.begins[axis] = pads[i];
    result.ends[axis] = pads[i + positions.size()];
  }
  return result;
}

void Pad::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  const auto known_pads = known_integers(context, pads);
  const auto known_axes = known_integers(context, axes);
  if (shape && (!known_pads || (axes.is_given() && !known_axes))) {
    *shape = Dimensions(shape->size());
  } else if (shape) {
    const Edges around = edges(static_cast<std::int64_t>(shape->size()), *known_pads, known_axes);
    for (std::size_t i = 0; i < shape->size(); ++i) {
      Dimension& dimension = (*shape)[i];
      const std::int64_t added = add_sizes(around.begins[i], around.ends[i]);
      if (!dimension.is_known()) {
        dimension = added == 0 ? dimension : Dimension();
        continue;
      }
      const std::int64_t size = add_sizes(dimension.number(), added);
      if (size < 0) {
        throw Error(ErrorCode::invalid,
                    format("axis {} of size {} with pads {} and {} would have "
                           "size {}",
                           i, dimension.number(), around.begins[i], around.ends[i], size));
      }
      dimension = size;
    }
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
