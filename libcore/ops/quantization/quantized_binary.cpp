// Schema and shape rule of QuantizedBinary.
#include "libcore/ops/quantization/quantized_binary.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema QuantizedBinary::schema = {
    "QuantizedBinary",
    "ortool",
    {{.since = 1,
      .inputs = {{"a", "T1"},
                 {"a_scale", "tensor(float)"},
                 {"a_zero_point", "T1"},
                 {"b", "T2"},
                 {"b_scale", "tensor(float)"},
                 {"b_zero_point", "T2"},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T3"}},
      .outputs = {{"y", "T3"}},
      .attributes = {{"high", AttributeKind::integer, true},
                     {"low", AttributeKind::integer, true},
                     {"operation", AttributeKind::string, true}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}, {"T3", types::bytes}}}}};

void QuantizedBinary::read(AttributeReader& attributes, int) {
  operation = attributes.choice("operation", {"Add", "Sub", "Mul"}, Operation::add);
  low = attributes.integer_in("low", 0, -128, 255);
  high = attributes.integer_in("high", 255, -128, 255);
}

void QuantizedBinary::infer(InferContext& context) const {
  for (const std::int64_t input : {1, 2, 4, 5, 6, 7})
    check_single(context, input, schema.versions.begin()->inputs.begin()[input].name);
  context.set_output(0, context.element(7), broadcast_shapes(context.shape(0), context.shape(3)));
}

}  // namespace ortool
