// Schema and shape rule of GemmFloat8.
#include "libcore/ops/contrib/quantized/gemm_float8.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr auto gemm_optional = Formal::Count::optional;
constexpr TypeSet wide_floats =
    types_of({DataType::float16, DataType::bfloat16, DataType::float32});
constexpr TypeSet gemm_floats =
    wide_floats | types_of({DataType::float8e4m3fn, DataType::float8e5m2});

}  // namespace

constinit const OpSchema GemmFloat8::schema = {
    "GemmFloat8",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "TA"},
                 {"B", "TB"},
                 {"C", "TC", gemm_optional},
                 {"scaleA", "TS", gemm_optional},
                 {"scaleB", "TS", gemm_optional},
                 {"scaleY", "TS", gemm_optional}},
      .outputs = {{"Y", "TR"}},
      .attributes = {{"activation", AttributeKind::string},
                     {"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 0.0F},
                     {"dtype", AttributeKind::integer, false, 1},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"TA", gemm_floats},
                {"TB", gemm_floats},
                {"TC", wide_floats},
                {"TR", gemm_floats},
                {"TS", types::float32_only}}}}};

void GemmFloat8::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
  beta = attributes.number("beta", 0.0F);
  transpose_a = attributes.flag("transA");
  transpose_b = attributes.flag("transB");
  activation = attributes.choice("activation", {"NONE", "RELU", "GELU"}, Activation::none);
  type = read_element_type(attributes, "dtype", "TR").value_or(DataType::float32);
}

void GemmFloat8::infer(InferContext& context) const {
  check_rank(context, 0, "A", 2);
  check_rank(context, 1, "B", 2);
  check_dimension("the depth of 'B'", dimension_at(context, 1, transpose_b ? 1 : 0),
                  dimension_at(context, 0, transpose_a ? 0 : 1));
  const Dimensions shape = {dimension_at(context, 0, transpose_a ? 1 : 0),
                            dimension_at(context, 1, transpose_b ? 0 : 1)};
  check_broadcasts_to(context, 2, "C", shape);
  check_single(context, 3, "scaleA");
  check_single(context, 4, "scaleB");
  check_single(context, 5, "scaleY");
  context.set_output(0, type, shape);
}

}  // namespace ortool
