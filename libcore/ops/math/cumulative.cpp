// Versions of CumSum and CumProd, which differ in types only.
#include "libcore/ops/math/cumulative.hpp"

#include <optional>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> cum_sum_attributes = {
    {"exclusive", AttributeKind::integer, false, 0}, {"reverse", AttributeKind::integer, false, 0}};

constinit const OpSchema CumSum::schema = {
    "CumSum",
    "",
    {{.since = 11,
      .inputs = {{"x", "T"}, {"axis", "T2"}},
      .outputs = {{"y", "T"}},
      .attributes = cum_sum_attributes,
      .types = {{"T", types::high_precision_numbers - types_of({DataType::float16})},
                {"T2", types::indices}}},
     {.since = 14,
      .inputs = {{"x", "T"}, {"axis", "T2"}},
      .outputs = {{"y", "T"}},
      .attributes = cum_sum_attributes,
      .types = {{"T", types::floats | types::high_precision_numbers}, {"T2", types::indices}}}}};

constinit const OpSchema CumProd::schema = {
    "CumProd",
    "",
    {{.since = 26,
      .inputs = {{"x", "T"}, {"axis", "T2"}},
      .outputs = {{"y", "T"}},
      .attributes = {{"exclusive", AttributeKind::integer, false, 0},
                     {"reverse", AttributeKind::integer, false, 0}},
      .types = {{"T", types::floats | types::high_precision_numbers}, {"T2", types::indices}}}}};

void CumulativeOp::read(AttributeReader& attributes, int) {
  exclusive = attributes.flag("exclusive");
  reverse = attributes.flag("reverse");
}

void CumulativeOp::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "x", 1);
  const std::optional<std::int64_t> axis = single_integer(context, 1, "axis");
  if (axis && context.rank(0) > 0) normalize_axis(*axis, context.rank(0));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
