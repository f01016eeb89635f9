// Versions of Gather; 11 allows negative indices.
#include "libcore/ops/tensor/indexing/gather.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> gather_inputs = {{"data", "T"}, {"indices", "Tind"}};

constexpr std::initializer_list<AttributeSpec> gather_attributes = {
    {"axis", AttributeKind::integer, false, 0}};

/// Known indices into known elements, such as the batch size gathered from a shape.
std::optional<KnownElements> gather_elements(const InferContext& context, std::int64_t axis) {
  const std::optional<KnownTensor> data = known_input(context, 0);
  const std::optional<KnownTensor> indices = data ? known_input(context, 1) : std::nullopt;
  if (!indices) return std::nullopt;
  const std::int64_t along = normalize_axis(axis, data->shape.rank());
  const std::int64_t size = data->shape[along];
  const std::int64_t inner = data->shape.product(along + 1, data->shape.rank());
  const std::int64_t outer = data->shape.product(0, along);
  if (multiply_sizes(multiply_sizes(outer, indices->shape.element_count()), inner) >
      max_known_elements) {
    return std::nullopt;
  }
  KnownElements elements;
  for (std::int64_t i = 0; i < outer; ++i) {
    for (const KnownElement& element : indices->elements) {
      const std::int64_t index = element.numerator.number();
      if (element.is_number() && (index < -size || index >= size)) {
        throw Error(ErrorCode::invalid,
                    format("index {} is outside the axis of {} (expected {} to {})", index, size,
                           -size, size - 1));
      }
      const std::int64_t row = (i * size + (index < 0 ? index + size : index)) * inner;
      for (std::int64_t k = 0; k < inner; ++k) {
        elements.push_back(
            element.is_number()
                ? data->elements[static_cast<std::size_t>(row + k)]
                : KnownElement(element.numerator.is_unknown() ? element.numerator : Dimension()));
      }
    }
  }
  return elements;
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
      if (static_cast<std::int64_t>(result->size()) > Shape::max_dimensions) {
        throw Error(ErrorCode::invalid, format("the output would have rank {} (at most {})",
                                               result->size(), Shape::max_dimensions));
      }
    }
  }
  context.set_output(0, context.element(0), std::move(result));
  set_known_output(context, 0, context.element(0), gather_elements(context, axis));
}

}  // namespace ortool
