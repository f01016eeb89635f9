// Schema and shape rule of QuantizedMean.
#include "libcore/ops/quantization/quantized_mean.hpp"

#include <algorithm>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema QuantizedMean::schema = {
    "QuantizedMean",
    "ortool",
    {{.since = 1,
      .inputs = {{"x", "T1"},
                 {"x_scale", "tensor(float)"},
                 {"x_zero_point", "T1"},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T2"}},
      .outputs = {{"y", "T2"}},
      .attributes = {{"high", AttributeKind::integer, true}, {"low", AttributeKind::integer, true}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}}}}};

void QuantizedMean::read(AttributeReader& attributes, int) {
  low = attributes.integer_in("low", 0, -128, 255);
  high = attributes.integer_in("high", 255, -128, 255);
}

void QuantizedMean::infer(InferContext& context) const {
  for (const std::int64_t input : {1, 2, 3, 4})
    check_single(context, input, schema.versions.begin()->inputs.begin()[input].name);
  check_rank_at_least(context, 0, "x", 3);
  PartialShape shape = context.shape(0);
  if (shape) std::fill(shape->begin() + 2, shape->end(), Dimension(1));
  context.set_output(0, context.element(4), std::move(shape));
}

}  // namespace ortool
