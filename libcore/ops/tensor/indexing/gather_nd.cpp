// Versions of GatherND; 12 added batch dimensions.
#include "libcore/ops/tensor/indexing/gather_nd.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

namespace {

/// Elements of a vector that are selected one by one.
std::optional<KnownElements> gather_nd_values(const InferContext& context) {
  if (context.rank(0) != 1) return std::nullopt;
  const std::optional<KnownTensor> data = known_input(context, 0);
  const std::optional<KnownTensor> indices = data ? known_input(context, 1) : std::nullopt;
  if (!indices) return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->elements.size());
  KnownElements values;
  for (const KnownElement& each : indices->elements) {
    if (!each.is_number()) return std::nullopt;
    const std::int64_t index = each.numerator.number();
    if (index < -size || index >= size) {
      throw Error(ErrorCode::invalid,
                  format("index {} is outside the axis of {} (expected {} to {})", index, size,
                         -size, size - 1));
    }
    values.push_back(data->elements[static_cast<std::size_t>(index < 0 ? index + size : index)]);
  }
  return values;
}

}  // namespace

constexpr std::initializer_list<AttributeSpec> gather_nd_attributes = {
    {"batch_dims", AttributeKind::integer, false, 0}};

constinit const OpSchema GatherND::schema = {
    "GatherND",
    "",
    {{.since = 11,
      .inputs = {{"data", "T"}, {"indices", "tensor(int64)"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 12,
      .inputs = {{"data", "T"}, {"indices", "tensor(int64)"}},
      .outputs = {{"output", "T"}},
      .attributes = gather_nd_attributes,
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = {{"data", "T"}, {"indices", "tensor(int64)"}},
      .outputs = {{"output", "T"}},
      .attributes = gather_nd_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void GatherND::read(AttributeReader& attributes, int) {
  batch_dims = attributes.integer_in("batch_dims", 0, 0, Shape::max_dimensions);
}

void GatherND::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "data", batch_dims + 1);
  check_rank_at_least(context, 1, "indices", batch_dims + 1);
  const PartialShape data = context.shape(0);
  const PartialShape indices = context.shape(1);
  if (!data || !indices || !indices->back().is_known())
    return context.set_output(0, context.element(0), std::nullopt);
  const std::int64_t depth = indices->back().number();
  const std::int64_t room = context.rank(0) - batch_dims;
  if (depth < 1 || depth > room) {
    throw Error(ErrorCode::invalid, format("the last dimension of 'indices' is {} (expected 1 to "
                                           "{}, the rank of 'data' without its batch dimensions)",
                                           depth, room));
  }
  Dimensions shape(indices->begin(), indices->end() - 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch_dims); ++i)
    shape[i] = merge_dimensions(shape[i], (*data)[i]);
  shape.insert(shape.end(), data->begin() + batch_dims + depth, data->end());
  check_output_rank(shape.size());
  const bool may_be_shape = shape.size() <= 1;
  context.set_output(0, context.element(0), std::move(shape));
  if (may_be_shape) set_known_output(context, 0, context.element(0), gather_nd_values(context));
}

}  // namespace ortool
