// Versions of Compress; the output size depends on the condition.
#include "libcore/ops/tensor/indexing/compress.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema Compress::schema = {
    "Compress",
    "",
    {{.since = 9,
      .inputs = {{"input", "T"}, {"condition", "T1"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer}},
      .types = {{"T", types::all_tensors}, {"T1", types::boolean_only}}},
     {.since = 11,
      .inputs = {{"input", "T"}, {"condition", "T1"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer}},
      .types = {{"T", types::all_tensors}, {"T1", types::boolean_only}}},
     {.since = 28,
      .inputs = {{"input", "T"}, {"condition", "T1"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"T1", types::boolean_only}}}}};

namespace {

/// How often the condition is true, if known.
Dimension count_true(const InferContext& context) {
  const Tensor* condition = context.input_value(1);
  if (condition == nullptr || condition->type() != DataType::boolean) return {};
  const std::byte* first = condition->bytes();
  return std::count_if(first, first + condition->size_bytes(),
                       [](std::byte each) { return each != std::byte{0}; });
}

}  // namespace

void Compress::read(AttributeReader& attributes, int) {
  axis = attributes.find_integer("axis");
}

void Compress::infer(InferContext& context) const {
  check_rank(context, 1, "condition", 1);
  check_rank_at_least(context, 0, "input", 1);
  const PartialShape input = context.shape(0);
  if (!axis) return context.set_output(0, context.element(0), Dimensions{count_true(context)});
  if (!input) return context.set_output(0, context.element(0), std::nullopt);
  const std::int64_t along = normalize_axis(*axis, context.rank(0));
  Dimensions shape = *input;
  Dimension& dimension = shape[static_cast<std::size_t>(along)];
  const Dimension length = dimension_at(context, 1, 0);
  if (dimension.is_known() && length.is_known() && length.number() > dimension.number()) {
    throw Error(ErrorCode::invalid, format("'condition' has {} elements for an axis of {}",
                                           length.number(), dimension.number()));
  }
  dimension = count_true(context);
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
