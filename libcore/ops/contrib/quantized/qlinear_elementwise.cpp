// Schemas of the elementwise operators on quantized operands.
#include "libcore/ops/contrib/quantized/qlinear_elementwise.hpp"

#include "libcore/ops/contrib/quantized/qlinear_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> binary_inputs = {
    {"A", "T"},
    {"A_scale", "tensor(float)"},
    {"A_zero_point", "T", Formal::Count::optional},
    {"B", "T"},
    {"B_scale", "tensor(float)"},
    {"B_zero_point", "T", Formal::Count::optional},
    {"C_scale", "tensor(float)"},
    {"C_zero_point", "T", Formal::Count::optional}};

constexpr std::initializer_list<Formal> unary_inputs = {
    {"X", "T"},
    {"X_scale", "tensor(float)"},
    {"X_zero_point", "T", Formal::Count::optional},
    {"Y_scale", "tensor(float)"},
    {"Y_zero_point", "T", Formal::Count::optional}};

}  // namespace

constinit const OpSchema QLinearAdd::schema = {"QLinearAdd",
                                               contrib_domain,
                                               {{.since = 1,
                                                 .inputs = binary_inputs,
                                                 .outputs = {{"C", "T"}},
                                                 .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearMul::schema = {"QLinearMul",
                                               contrib_domain,
                                               {{.since = 1,
                                                 .inputs = binary_inputs,
                                                 .outputs = {{"C", "T"}},
                                                 .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearSigmoid::schema = {"QLinearSigmoid",
                                                   contrib_domain,
                                                   {{.since = 1,
                                                     .inputs = unary_inputs,
                                                     .outputs = {{"Y", "T"}},
                                                     .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearLeakyRelu::schema = {
    "QLinearLeakyRelu",
    contrib_domain,
    {{.since = 1,
      .inputs = unary_inputs,
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.01F}},
      .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearWhere::schema = {
    "QLinearWhere",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"condition", "B"},
                 {"X", "T"},
                 {"x_scale", "TF"},
                 {"x_zero_point", "T"},
                 {"Y", "T"},
                 {"y_scale", "TF"},
                 {"y_zero_point", "T"},
                 {"z_scale", "TF"},
                 {"z_zero_point", "T"}},
      .outputs = {{"Z", "T"}},
      .types = {{"B", types::boolean_only}, {"TF", types::float32_only}, {"T", types::bytes}}}}};

void QLinearBinary::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "A");
  check_tensor_scale(context, 4, "B");
  check_tensor_scale(context, 6, "C");
  context.set_output(0, context.element(0), broadcast_shapes(context.shape(0), context.shape(3)));
}

void QLinearUnary::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "X");
  check_tensor_scale(context, 3, "Y");
  context.set_output(0, context.element(0), context.shape(0));
}

void QLinearLeakyRelu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 0.01F);
}

void QLinearWhere::infer(InferContext& context) const {
  check_tensor_scale(context, 2, "x");
  check_tensor_scale(context, 5, "y");
  check_tensor_scale(context, 7, "z");
  const PartialShape operands = broadcast_shapes(context.shape(1), context.shape(4));
  context.set_output(0, context.element(1), broadcast_shapes(context.shape(0), operands));
}

}  // namespace ortool
