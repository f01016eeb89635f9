// Versions of OneHot; 11 allows negative indices.
#include "libcore/ops/tensor/indexing/one_hot.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> one_hot_inputs = {
    {"indices", "T1"}, {"depth", "T2"}, {"values", "T3"}};

constinit const OpSchema OneHot::schema = {
    "OneHot",
    "",
    {{.since = 9,
      .inputs = one_hot_inputs,
      .outputs = {{"output", "T3"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T1", types::numbers}, {"T2", types::numbers}, {"T3", types::all_tensors}}},
     {.since = 11,
      .inputs = one_hot_inputs,
      .outputs = {{"output", "T3"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T1", types::numbers}, {"T2", types::numbers}, {"T3", types::all_tensors}}},
     {.since = 28,
      .inputs = one_hot_inputs,
      .outputs = {{"output", "T3"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T1", types::numbers},
                {"T2", types::numbers},
                {"T3", types::all_tensors_and_bfloat16}}}}};

namespace {

/// The length of the new axis, given by an input of any numeric type.
Dimension one_hot_depth(const InferContext& context) {
  check_single(context, 1, "depth");
  if (const Tensor* value = context.input_value(1); value != nullptr) {
    if (value->element_count() != 1) return {};
    const std::int64_t depth = element_as_int64(*value, 0);
    static_cast<void>(multiply_sizes(std::max<std::int64_t>(depth, 0), 1));
    if (depth >= 1) return depth;
    throw Error(ErrorCode::invalid, format("'depth' is {} (expected at least 1)", depth));
  }
  const std::optional<Dimensions> values = shape_values(context, 1);
  return values && values->size() == 1 ? values->front() : Dimension();
}

}  // namespace

void OneHot::read(AttributeReader& attributes, int version) {
  axis = attributes.integer("axis", -1);
  counts_from_end = version >= 11;
}

void OneHot::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "indices", 1);
  check_vector(context, 2, "values", 2);
  const Dimension depth = one_hot_depth(context);
  PartialShape shape = context.shape(0);
  if (shape) {
    const std::int64_t along = normalize_axis(axis, context.rank(0) + 1);
    check_output_rank(shape->size() + 1);
    shape->insert(shape->begin() + along, depth);
  }
  context.set_output(0, context.element(2), std::move(shape));
}

}  // namespace ortool
