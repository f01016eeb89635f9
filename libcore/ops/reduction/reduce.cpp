// Versions of the reductions, and their common shape rule.
#include "libcore/ops/reduction/reduce.hpp"

#include <algorithm>
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> reduce_mean_attributes = {
    {"axes", AttributeKind::integers}, {"keepdims", AttributeKind::integer, false, 1}};

constexpr std::initializer_list<OpVersion> reduce_mean_versions = {
    {.since = 1,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_mean_attributes,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 11,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_mean_attributes,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 13,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_mean_attributes,
     .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}},
    {.since = 18,
     .inputs = {{"data", "T"}, {"axes", "tensor(int64)", Formal::Count::optional}},
     .outputs = {{"reduced", "T"}},
     .attributes = {{"keepdims", AttributeKind::integer, false, 1},
                    {"noop_with_empty_axes", AttributeKind::integer, false, 0}},
     .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}}};

constexpr std::initializer_list<Formal> reduce_max_inputs = {
    {"data", "T"}, {"axes", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> reduce_max_attributes_1 = {
    {"axes", AttributeKind::integers}, {"keepdims", AttributeKind::integer, false, 1}};

constexpr std::initializer_list<AttributeSpec> reduce_max_attributes_18 = {
    {"keepdims", AttributeKind::integer, false, 1},
    {"noop_with_empty_axes", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<OpVersion> reduce_max_versions = {
    {.since = 1,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_1,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 11,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_1,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 12,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_1,
     .types = {{"T", types::high_precision_numbers | types_of({DataType::int8, DataType::uint8})}}},
    {.since = 13,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_1,
     .types = {{"T", types::numbers_and_bfloat16 - types_of({DataType::int16, DataType::uint16})}}},
    {.since = 18,
     .inputs = reduce_max_inputs,
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_18,
     .types = {{"T", types::numbers_and_bfloat16 - types_of({DataType::int16, DataType::uint16})}}},
    {.since = 20,
     .inputs = reduce_max_inputs,
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_max_attributes_18,
     .types = {
         {"T", types::high_precision_numbers | types_of({DataType::bfloat16, DataType::int8,
                                                         DataType::uint8, DataType::boolean})}}}};

constexpr std::initializer_list<Formal> reduce_log_inputs = {
    {"data", "T"}, {"axes", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> reduce_log_attributes_1 = {
    {"axes", AttributeKind::integers}, {"keepdims", AttributeKind::integer, false, 1}};

constexpr std::initializer_list<AttributeSpec> reduce_log_attributes_18 = {
    {"keepdims", AttributeKind::integer, false, 1},
    {"noop_with_empty_axes", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<OpVersion> reduce_log_versions = {
    {.since = 1,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_log_attributes_1,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 11,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_log_attributes_1,
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 13,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_log_attributes_1,
     .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}},
    {.since = 18,
     .inputs = reduce_log_inputs,
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_log_attributes_18,
     .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}},
    {.since = 28,
     .inputs = reduce_log_inputs,
     .outputs = {{"reduced", "T"}},
     .attributes = reduce_log_attributes_18,
     .types = {{"T", types::floats}}}};

constexpr std::initializer_list<AttributeSpec> reduce_sum_attributes = {
    {"axes", AttributeKind::integers}, {"keepdims", AttributeKind::integer, false, 1}};

}  // namespace

constinit const OpSchema ReduceSum::schema = {
    "ReduceSum",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"reduced", "T"}},
      .attributes = reduce_sum_attributes,
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 11,
      .inputs = {{"data", "T"}},
      .outputs = {{"reduced", "T"}},
      .attributes = reduce_sum_attributes,
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 13,
      .inputs = {{"data", "T"}, {"axes", "tensor(int64)", Formal::Count::optional}},
      .outputs = {{"reduced", "T"}},
      .attributes = {{"keepdims", AttributeKind::integer, false, 1},
                     {"noop_with_empty_axes", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}}}};

constinit const OpSchema ReduceL1::schema = {"ReduceL1", "", reduce_mean_versions};
constinit const OpSchema ReduceL2::schema = {"ReduceL2", "", reduce_mean_versions};
constinit const OpSchema ReduceMean::schema = {"ReduceMean", "", reduce_mean_versions};
constinit const OpSchema ReduceProd::schema = {"ReduceProd", "", reduce_mean_versions};
constinit const OpSchema ReduceSumSquare::schema = {"ReduceSumSquare", "", reduce_mean_versions};
constinit const OpSchema ReduceMax::schema = {"ReduceMax", "", reduce_max_versions};
constinit const OpSchema ReduceMin::schema = {"ReduceMin", "", reduce_max_versions};
constinit const OpSchema ReduceLogSum::schema = {"ReduceLogSum", "", reduce_log_versions};
constinit const OpSchema ReduceLogSumExp::schema = {"ReduceLogSumExp", "", reduce_log_versions};

std::vector<std::int64_t> Reduction::reduced_axes(std::int64_t rank,
                                                  const std::vector<std::int64_t>& given) const {
  std::vector<std::int64_t> result = normalize_axes(given, rank);
  if (given.empty() && !nothing_when_empty) {
    result.resize(static_cast<std::size_t>(rank));
    std::iota(result.begin(), result.end(), std::int64_t{0});
  }
  std::sort(result.begin(), result.end());
  return result;
}

void Reduction::read(AttributeReader& attributes, int) {
  axes = attributes.integers_or_input("axes", 1);
  keep_dimensions = attributes.flag("keepdims", true);
  nothing_when_empty = attributes.flag("noop_with_empty_axes");
}

void Reduction::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  PartialShape result;
  const auto given =
      axes.is_given() ? known_integers(context, axes) : std::optional(std::vector<std::int64_t>());
  if (shape && given) {
    result = *shape;
    const std::vector<std::int64_t> reduced =
        reduced_axes(static_cast<std::int64_t>(shape->size()), *given);
    for (auto axis = reduced.rbegin(); axis != reduced.rend(); ++axis) {
      if (keep_dimensions) {
        (*result)[static_cast<std::size_t>(*axis)] = Dimension(1);
      } else {
        result->erase(result->begin() + *axis);
      }
    }
  } else if (shape && keep_dimensions) {
    result = Dimensions(shape->size());
  }
  context.set_output(0, context.element(0), std::move(result));
}

void Reduction::combine_all(InferContext& context, ElementOp op) const {
  const std::optional<KnownTensor> known = known_input(context, 0);
  if (!known || known->elements.empty()) return;
  const auto given =
      axes.is_given() ? known_integers(context, axes) : std::optional(std::vector<std::int64_t>());
  if (!given) return;
  const std::vector<std::int64_t> reduced = reduced_axes(known->shape.rank(), *given);
  if (static_cast<std::int64_t>(reduced.size()) != known->shape.rank()) return;
  KnownElement result = known->elements[0];
  for (std::size_t i = 1; i < known->elements.size(); ++i)
    result = combine(op, result, known->elements[i], context.element(0));
  set_known_output(context, 0, context.element(0), KnownElements{std::move(result)});
}

void ReduceProd::infer(InferContext& context) const {
  Reduction::infer(context);
  combine_all(context, ElementOp::multiply);
}

void ReduceSum::infer(InferContext& context) const {
  Reduction::infer(context);
  combine_all(context, ElementOp::add);
}

void ReduceMax::infer(InferContext& context) const {
  Reduction::infer(context);
  combine_all(context, ElementOp::maximum);
}

void ReduceMin::infer(InferContext& context) const {
  Reduction::infer(context);
  combine_all(context, ElementOp::minimum);
}

}  // namespace ortool
