// Gather in its versions; 11 let indices count from the end.
#include "libcore/ops/tensor/gather.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> gather_inputs = {{"data", "T"}, {"indices", "Tind"}};

constexpr std::initializer_list<AttributeSpec> gather_attributes = {
    {"axis", AttributeKind::integer, false, 0}};

/// Known indices into known values, such as the batch size taken out of a shape.
std::optional<Dimensions> gather_values(const InferContext& context) {
  const std::optional<Dimensions> data = shape_values(context, 0);
  if (!data || context.rank(0) != 1 || context.rank(1) > 1) return std::nullopt;
  const std::optional<std::vector<std::int64_t>> indices = context.integers(1);
  if (!indices) return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->size());
  Dimensions values;
  for (const std::int64_t index : *indices) {
    if (index < -size || index >= size) {
      throw Error(ErrorCode::invalid,
                  format("index {} is outside the axis of {} (expected {} to {})", index, size,
                         -size, size - 1));
    }
    values.push_back((*data)[static_cast<std::size_t>(index < 0 ? index + size : index)]);
  }
  return values;
}

}  // namespace

constinit const OpSchema Gather::schema = {
    "Gather",
    "",
    {{.since = 1,
      .inputs = gather_inputs,
      .outputs = {{"output", "T"}},
      .attributes = gather_attributes,
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 11,
      .inputs = gather_inputs,
      .outputs = {{"output", "T"}},
      .attributes = gather_attributes,
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = gather_inputs,
      .outputs = {{"output", "T"}},
      .attributes = gather_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

void Gather::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 0);
}

void Gather::infer(InferContext& context) const {
  const PartialShape data = context.shape(0);
  const PartialShape indices = context.shape(1);
  PartialShape result;
  if (data) {
    const std::int64_t along = normalize_axis(axis, static_cast<std::int64_t>(data->size()));
    if (indices) {
      const auto position = data->begin() + along;
      result = Dimensions(data->begin(), position);
      result->insert(result->end(), indices->begin(), indices->end());
      result->insert(result->end(), position + 1, data->end());
      if (static_cast<std::int64_t>(result->size()) > Shape::most_dimensions) {
        throw Error(ErrorCode::invalid, format("the output would have rank {} (at most {})",
                                               result->size(), Shape::most_dimensions));
      }
    }
  }
  context.set_output(0, context.element(0), std::move(result));
  if (is_integer(context.element(0)))
    set_shape_values(context, context.element(0), gather_values(context));
}

}  // namespace ortool
