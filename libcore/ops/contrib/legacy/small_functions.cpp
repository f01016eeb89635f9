// Schemas and shapes of ScaledSiLU, IsAllFinite and UnfoldTensor.
#include "libcore/ops/contrib/legacy/small_functions.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr TypeSet narrow_floats =
    types_of({DataType::float32, DataType::float16, DataType::bfloat16});

}  // namespace

constinit const OpSchema ScaledSiLU::schema = {
    "ScaledSiLU",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"scale", "M", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", narrow_floats}, {"M", narrow_floats}}}}};

constinit const OpSchema IsAllFinite::schema = {
    "IsAllFinite",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "V", Formal::Count::variadic}},
      .outputs = {{"output", "T"}},
      .attributes = {{"isinf_only", AttributeKind::integer, false, 0},
                     {"isnan_only", AttributeKind::integer, false, 0}},
      .types = {{"V", types::floats}, {"T", types::boolean_only}}}}};

constinit const OpSchema UnfoldTensor::schema = {
    "UnfoldTensor",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"dim", AttributeKind::integer, false, -1},
                     {"size", AttributeKind::integer, true},
                     {"step", AttributeKind::integer, false, 1}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void ScaledSiLU::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
}

void ScaledSiLU::infer(InferContext& context) const {
  check_single(context, 1, "scale");
  context.set_output(0, context.element(0), context.shape(0));
}

void IsAllFinite::read(AttributeReader& attributes, int) {
  ignores_infinity = attributes.flag("isnan_only");
  ignores_nan = attributes.flag("isinf_only");
  if (ignores_infinity && ignores_nan) {
    throw Error(
        ErrorCode::invalid,
        "attributes 'isnan_only' and 'isinf_only' are both 1 (expected at most one of them)");
  }
}

void IsAllFinite::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, Dimensions());
}

void UnfoldTensor::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  axis = attributes.integer("dim", -1);
  size = attributes.integer_in("size", 1, 1, most);
  step = attributes.integer_in("step", 1, 1, most);
}

void UnfoldTensor::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 1);
  PartialShape shape = context.shape(0);
  if (shape) {
    Dimension& along = (*shape)[static_cast<std::size_t>(normalize_axis(axis, context.rank(0)))];
    if (along.is_known() && along.number() < size) {
      throw Error(ErrorCode::invalid,
                  format("slices of {} elements do not fit an axis of {}", size, along.number()));
    }
    along = floor_divide(along - size, step) + 1;
    shape->emplace_back(size);
    check_output_rank(shape->size());
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
