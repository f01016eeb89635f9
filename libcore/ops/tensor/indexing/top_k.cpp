// Versions of TopK; 10 made k an input, 11 added the smallest elements.
#include "libcore/ops/tensor/indexing/top_k.hpp"

#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> top_k_attributes = {
    {"axis", AttributeKind::integer, false, -1},
    {"largest", AttributeKind::integer, false, 1},
    {"sorted", AttributeKind::integer, false, 1}};

constinit const OpSchema TopK::schema = {
    "TopK",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Values", "T"}, {"Indices", "I"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"k", AttributeKind::integer, true}},
      .types = {{"T", types::high_floats}, {"I", types::int64_only}}},
     {.since = 10,
      .inputs = {{"X", "T"}, {"K", "tensor(int64)"}},
      .outputs = {{"Values", "T"}, {"Indices", "I"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1}},
      .types = {{"T", types::high_floats}, {"I", types::int64_only}}},
     {.since = 11,
      .inputs = {{"X", "T"}, {"K", "tensor(int64)"}},
      .outputs = {{"Values", "T"}, {"Indices", "I"}},
      .attributes = top_k_attributes,
      .types = {{"T", types::numbers}, {"I", types::int64_only}}},
     {.since = 24,
      .inputs = {{"X", "T"}, {"K", "tensor(int64)"}},
      .outputs = {{"Values", "T"}, {"Indices", "I"}},
      .attributes = top_k_attributes,
      .types = {{"T", types::numbers_and_bfloat16}, {"I", types::int64_only}}}}};

void TopK::read(AttributeReader& attributes, int) {
  k = attributes.integer_or_input("k", 1);
  axis = attributes.integer("axis", -1);
  largest = attributes.flag("largest", true);
  sorted = attributes.flag("sorted", true);
  if (k.is_known() && *k.value < 0) {
    throw Error(ErrorCode::invalid, format("k is {} (expected 0 or more)", *k.value));
  }
}

void TopK::infer(InferContext& context) const {
  Dimension count;
  if (k.input < 0) {
    count = *k.value;
  } else {
    if (const auto number = single_integer(context, k.input, "K")) check_size("K", *number);
    const std::optional<Dimensions> values = shape_values(context, k.input);
    if (values && values->size() == 1) count = values->front();
  }
  check_rank_at_least(context, 0, "X", 1);
  PartialShape shape = context.shape(0);
  if (shape) {
    Dimension& along = (*shape)[static_cast<std::size_t>(normalize_axis(axis, context.rank(0)))];
    if (along.is_known() && count.is_known() && count.number() > along.number()) {
      throw Error(ErrorCode::invalid, format("k is {} (expected at most the {} along axis {})",
                                             count.number(), along.number(), axis));
    }
    along = count;
  }
  context.set_output(1, DataType::int64, shape);
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
