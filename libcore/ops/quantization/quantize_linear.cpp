// Versions of QuantizeLinear: axes since 13, blocks and an output type independent of the zero
// point since 21.
#include "libcore/ops/quantization/quantize_linear.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> quantize_linear_inputs_10 = {
    {"x", "T1"}, {"y_scale", "tensor(float)"}, {"y_zero_point", "T2", Formal::Count::optional}};

constexpr std::initializer_list<Formal> quantize_linear_inputs_19 = {
    {"x", "T1"}, {"y_scale", "T1"}, {"y_zero_point", "T2", Formal::Count::optional}};

constexpr std::initializer_list<Formal> quantize_linear_inputs_23 = {
    {"x", "T1"}, {"y_scale", "T2"}, {"y_zero_point", "T3", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> quantize_linear_attributes_23 = {
    {"axis", AttributeKind::integer, false, 1},
    {"block_size", AttributeKind::integer, false, 0},
    {"output_dtype", AttributeKind::integer, false, 0},
    {"precision", AttributeKind::integer, false, 0},
    {"saturate", AttributeKind::integer, false, 1}};

}  // namespace

constinit const OpSchema QuantizeLinear::schema = {
    "QuantizeLinear",
    "",
    {{.since = 10,
      .inputs = quantize_linear_inputs_10,
      .outputs = {{"y", "T2"}},
      .types = {{"T1", types::float32_only | types::int32_only}, {"T2", types::bytes}}},
     {.since = 13,
      .inputs = quantize_linear_inputs_10,
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::float32_only | types::int32_only}, {"T2", types::bytes}}},
     {.since = 19,
      .inputs = quantize_linear_inputs_19,
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1},
                     {"saturate", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::scales | types::int32_only}, {"T2", types::bytes_and_float8}}},
     {.since = 21,
      .inputs = quantize_linear_inputs_19,
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1},
                     {"block_size", AttributeKind::integer, false, 0},
                     {"output_dtype", AttributeKind::integer, false, 0},
                     {"saturate", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::scales | types::int32_only}, {"T2", types::quantized_21}}},
     {.since = 23,
      .inputs = quantize_linear_inputs_23,
      .outputs = {{"y", "T3"}},
      .attributes = quantize_linear_attributes_23,
      .types = {{"T1", types::scales | types::int32_only},
                {"T2", types::scales | types::int32_only},
                {"T3", types::quantized_23}}},
     {.since = 24,
      .inputs = quantize_linear_inputs_23,
      .outputs = {{"y", "T3"}},
      .attributes = quantize_linear_attributes_23,
      .types = {{"T1", types::scales | types::int32_only},
                {"T2", types::scales_24 | types::int32_only},
                {"T3", types::quantized_23}}},
     {.since = 25,
      .inputs = quantize_linear_inputs_23,
      .outputs = {{"y", "T3"}},
      .attributes = quantize_linear_attributes_23,
      .types = {{"T1", types::scales | types::int32_only},
                {"T2", types::scales_24 | types::int32_only},
                {"T3", types::quantized_25}}},
     {.since = 28,
      .inputs = quantize_linear_inputs_23,
      .outputs = {{"y", "T3"}},
      .attributes = quantize_linear_attributes_23,
      .types = {{"T1", types::scales | types::int32_only},
                {"T2", types::scales_24 | types::int32_only},
                {"T3", types::quantized_28}}}}};

namespace {

/// 0 denotes an omitted attribute.
std::optional<DataType> read_optional_type(AttributeReader& attributes, std::string_view name,
                                           std::string_view type_parameter) {
  if (attributes.integer(name, 0) == 0) return std::nullopt;
  return read_element_type(attributes, name, type_parameter);
}

}  // namespace

void QuantizeLinear::read(AttributeReader& attributes, int version) {
  granularity.read(attributes, version);
  saturate = attributes.flag("saturate", true);
  element = read_optional_type(attributes, "output_dtype", version < 23 ? "T2" : "T3");
  precision = read_optional_type(attributes, "precision", "T1");
  if (precision && !is_floating_point(*precision)) {
    throw Error(ErrorCode::invalid,
                format("precision is {} (expected a floating-point type)", name_of(*precision)));
  }
}

void QuantizeLinear::infer(InferContext& context) const {
  granularity.check(context, "y_scale", "y_zero_point");
  DataType made = element.value_or(context.has_input(2) ? context.element(2) : DataType::uint8);
  const DataType zero = context.element(2);
  if (zero != DataType::undefined && zero != made) {
    throw Error(ErrorCode::invalid,
                format("'y_zero_point' is {} (expected {}, as output_dtype says)", name_of(zero),
                       name_of(made)))
        .with_id("node.type");
  }
  context.set_output(0, made, context.shape(0));
}

}  // namespace ortool
