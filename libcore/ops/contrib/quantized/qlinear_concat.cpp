// Schema and shape rule of QLinearConcat.
#include "libcore/ops/contrib/quantized/qlinear_concat.hpp"

#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/quantized/qlinear_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema QLinearConcat::schema = {
    "QLinearConcat",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"Y_scale", "TF"},
                 {"Y_zero_point", "T8"},
                 {"inputs", "TV", Formal::Count::variadic, 1, false}},
      .outputs = {{"Y", "T8"}},
      .attributes = {{"axis", AttributeKind::integer, true}},
      .types = {{"T8", types::bytes},
                {"TF", types::float32_only},
                {"TV", types::bytes | types::float32_only}}}}};

void QLinearConcat::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 0);
}

void QLinearConcat::infer(InferContext& context) const {
  const std::int64_t count = context.input_count();
  if ((count - 2) % 3 != 0) {
    throw Error(ErrorCode::invalid,
                format("there are {} inputs (expected two, and three for each operand)", count));
  }
  check_tensor_scale(context, 0, "Y");
  PartialShape result;
  std::optional<Dimension> sum;
  for (std::int64_t i = 2; i < count; i += 3) {
    check_tensor_scale(context, i + 1, "an input's");
    PartialShape shape = context.shape(i);
    if (!shape) {
      sum = std::nullopt;
      result = std::nullopt;
      break;
    }
    const std::int64_t rank = static_cast<std::int64_t>(shape->size());
    const auto along = static_cast<std::size_t>(normalize_axis(axis, rank));
    const Dimension mine = (*shape)[along];
    sum = sum ? *sum + mine : mine;
    (*shape)[along] = Dimension();
    result = result ? merge_shapes(result, shape) : shape;
  }
  if (result && sum) {
    const std::int64_t rank = static_cast<std::int64_t>(result->size());
    (*result)[static_cast<std::size_t>(normalize_axis(axis, rank))] = *sum;
  }
  context.set_output(0, context.element(1), std::move(result));
}

}  // namespace ortool
