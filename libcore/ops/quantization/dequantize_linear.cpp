// Versions of DequantizeLinear: axes since 13, blocks since 21, output type independent of the
// scale since 23.
#include "libcore/ops/quantization/dequantize_linear.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> dequantize_linear_inputs_10 = {
    {"x", "T"}, {"x_scale", "tensor(float)"}, {"x_zero_point", "T", Formal::Count::optional}};

constexpr std::initializer_list<Formal> dequantize_linear_inputs_19 = {
    {"x", "T1"}, {"x_scale", "T2"}, {"x_zero_point", "T1", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> dequantize_linear_attributes_23 = {
    {"axis", AttributeKind::integer, false, 1},
    {"block_size", AttributeKind::integer, false, 0},
    {"output_dtype", AttributeKind::integer, false, 0}};

}  // namespace

constinit const OpSchema DequantizeLinear::schema = {
    "DequantizeLinear",
    "",
    {{.since = 10,
      .inputs = dequantize_linear_inputs_10,
      .outputs = {{"y", "tensor(float)"}},
      .types = {{"T", types::bytes | types::int32_only}}},
     {.since = 13,
      .inputs = dequantize_linear_inputs_10,
      .outputs = {{"y", "tensor(float)"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T", types::bytes | types::int32_only}}},
     {.since = 19,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::bytes_and_float8 | types::int32_only}, {"T2", types::scales}}},
     {.since = 21,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1},
                     {"block_size", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::quantized_21 | types::int32_only}, {"T2", types::scales}}},
     {.since = 23,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T3"}},
      .attributes = dequantize_linear_attributes_23,
      .types = {{"T1", types::quantized_23 | types::int32_only},
                {"T2", types::scales},
                {"T3", types::scales}}},
     {.since = 24,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T3"}},
      .attributes = dequantize_linear_attributes_23,
      .types = {{"T1", types::quantized_23 | types::int32_only},
                {"T2", types::scales_24},
                {"T3", types::scales}}},
     {.since = 25,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T3"}},
      .attributes = dequantize_linear_attributes_23,
      .types = {{"T1", types::quantized_25 | types::int32_only},
                {"T2", types::scales_24},
                {"T3", types::scales}}},
     {.since = 28,
      .inputs = dequantize_linear_inputs_19,
      .outputs = {{"y", "T3"}},
      .attributes = dequantize_linear_attributes_23,
      .types = {{"T1", types::quantized_28 | types::int32_only},
                {"T2", types::scales_24},
                {"T3", types::scales}}}}};

void DequantizeLinear::read(AttributeReader& attributes, int version) {
  granularity.read(attributes, version);
  if (version < 19) element = DataType::float32;
  if (attributes.integer("output_dtype", 0) != 0)
    element = read_element_type(attributes, "output_dtype", "T3");
}

void DequantizeLinear::infer(InferContext& context) const {
  granularity.check(context, "x_scale", "x_zero_point");
  const DataType made = element.value_or(context.element(1));
  if (made == DataType::float8e8m0) {
    throw Error(ErrorCode::invalid,
                format("'x_scale' is {}, which is not a type of the output", name_of(made)),
                "give the attribute output_dtype")
        .with_id("node.type");
  }
  context.set_output(0, made, context.shape(0));
}

}  // namespace ortool
