// Shape rules of LayerNormalization and RMSNormalization.
#include "libcore/ops/nn/normalization/layer_normalization.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

namespace {

constexpr std::initializer_list<Formal> layer_inputs = {
    {"X", "T"}, {"Scale", "T"}, {"B", "T", Formal::Count::optional}};
constexpr std::initializer_list<Formal> layer_outputs = {
    {"Y", "T"},
    {"Mean", "U", Formal::Count::optional},
    {"InvStdDev", "U", Formal::Count::optional}};
constexpr std::initializer_list<AttributeSpec> norm_attributes = {
    {"axis", AttributeKind::integer, false, -1},
    {"epsilon", AttributeKind::float_number, false, 1e-05F},
    {"stash_type", AttributeKind::integer, false, 1}};
constexpr std::initializer_list<TypeParameter> layer_types = {
    {"T", types::floats}, {"U", types_of({DataType::bfloat16, DataType::float32})}};

}  // namespace

constinit const OpSchema LayerNormalization::schema = {"LayerNormalization",
                                                       "",
                                                       {{.since = 17,
                                                         .inputs = layer_inputs,
                                                         .outputs = layer_outputs,
                                                         .attributes = norm_attributes,
                                                         .types = layer_types}},
                                                       {{.since = 1,
                                                         .inputs = layer_inputs,
                                                         .outputs = layer_outputs,
                                                         .attributes = norm_attributes,
                                                         .types = layer_types}}};

constinit const OpSchema RMSNormalization::schema = {
    "RMSNormalization",
    "",
    {{.since = 23,
      .inputs = {{"X", "T"}, {"scale", "V"}},
      .outputs = {{"Y", "V"}},
      .attributes = norm_attributes,
      .types = {{"T", types::floats}, {"V", types::floats}}}}};

constinit const OpSchema SimplifiedLayerNormalization::schema = {
    "SimplifiedLayerNormalization",
    "",
    {},
    {{.since = 1,
      .inputs = {{"X", "T"}, {"scale", "V"}},
      .outputs = {{"Y", "V"}, {"inv_std_var", "U", Formal::Count::optional}},
      .attributes = norm_attributes,
      .types = {
          {"T", types::floats}, {"V", types::floats}, {"U", types_of({DataType::float32})}}}}};

namespace {

DataType read_stash_type(AttributeReader& attributes) {
  const std::int64_t number = attributes.integer("stash_type", 1);
  for (const DataType type :
       {DataType::float32, DataType::bfloat16, DataType::float16, DataType::float64}) {
    if (number == static_cast<std::int64_t>(type)) return type;
  }
  throw Error(ErrorCode::invalid,
              format("stash_type is {} (expected a floating-point type, such as 1)", number));
}

}  // namespace

void LayerNormalization::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  epsilon = attributes.number("epsilon", 1e-5F);
  statistics = read_stash_type(attributes);
}

void LayerNormalization::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  check_broadcasts_to(context, 1, "Scale", shape);
  check_broadcasts_to(context, 2, "B", shape);
  context.set_output(0, context.element(0), shape);
  if (shape) {
    const std::int64_t rank = context.rank(0);
    for (std::int64_t i = normalize_axis(axis, rank); i < rank; ++i)
      (*shape)[static_cast<std::size_t>(i)] = 1;
  }
  context.set_output(1, statistics, shape);
  context.set_output(2, statistics, shape);
}

void RMSNormalization::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  epsilon = attributes.number("epsilon", 1e-5F);
  static_cast<void>(read_stash_type(attributes));
}

void RMSNormalization::infer(InferContext& context) const {
  if (context.rank(0) >= 0) normalize_axis(axis, context.rank(0));
  check_broadcasts_to(context, 1, "scale", context.shape(0));
  context.set_output(0, context.element(1), context.shape(0));
}

void SimplifiedLayerNormalization::infer(InferContext& context) const {
  RMSNormalization::infer(context);
  PartialShape shape = context.shape(0);
  if (shape) {
    const std::int64_t rank = context.rank(0);
    for (std::int64_t i = normalize_axis(axis, rank); i < rank; ++i)
      (*shape)[static_cast<std::size_t>(i)] = 1;
  }
  context.set_output(1, DataType::float32, shape);
}

}  // namespace ortool
