// Schemas of products of quantized matrices, and checks of their scales.
#include "libcore/ops/contrib/quantized/quantized_products.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr TypeSet words = types_of({DataType::int16, DataType::uint16});

/// The number of columns of a matrix in input `input`.
Dimension columns_of(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  return shape && shape->size() >= 2 ? shape->back() : Dimension();
}

/// An axis of a matrix that may be transposed.
Dimension matrix_axis(const InferContext& context, std::int64_t input, bool transposes,
                      std::int64_t axis) {
  return dimension_at(context, input, transposes ? 1 - axis : axis);
}

}  // namespace

constinit const OpSchema QGemm::schema = {
    "QGemm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "TA"},
                 {"a_scale", "T"},
                 {"a_zero_point", "TA", Formal::Count::optional},
                 {"B", "TB"},
                 {"b_scale", "T"},
                 {"b_zero_point", "TB", Formal::Count::optional},
                 {"C", "TC", Formal::Count::optional},
                 {"y_scale", "T", Formal::Count::optional},
                 {"y_zero_point", "TYZ", Formal::Count::optional}},
      .outputs = {{"Y", "TY"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::float32_only},
                {"TA", types::bytes},
                {"TB", types::bytes},
                {"TC", types::int32_only},
                {"TYZ", types::bytes},
                {"TY", types::bytes | types::float32_only}}}}};

constinit const OpSchema MatMulIntegerToFloat::schema = {
    "MatMulIntegerToFloat",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"B", "T2"},
                 {"a_scale", "T3"},
                 {"b_scale", "T3"},
                 {"a_zero_point", "T1", Formal::Count::optional},
                 {"b_zero_point", "T2", Formal::Count::optional},
                 {"bias", "T3", Formal::Count::optional}},
      .outputs = {{"Y", "T3"}},
      .types = {{"T1", types::bytes},
                {"T2", types::bytes},
                {"T3", types_of({DataType::float32, DataType::float16})}}}}};

constinit const OpSchema DynamicQuantizeMatMul::schema = {
    "DynamicQuantizeMatMul",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"B", "T2"},
                 {"b_scale", "T1"},
                 {"b_zero_point", "T2", Formal::Count::optional},
                 {"bias", "T1", Formal::Count::optional}},
      .outputs = {{"Y", "T1"}},
      .types = {{"T1", types::float32_only}, {"T2", types::bytes}}}}};

constinit const OpSchema MatMulInteger16::schema = {
    "MatMulInteger16",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"}, {"B", "T2"}},
      .outputs = {{"Y", "T3"}},
      .types = {
          {"T1", words}, {"T2", words}, {"T3", types_of({DataType::int32, DataType::uint32})}}}}};

void QGemm::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
  transpose_a = attributes.flag("transA");
  transpose_b = attributes.flag("transB");
}

void QGemm::infer(InferContext& context) const {
  check_rank(context, 0, "A", 2);
  check_rank(context, 3, "B", 2);
  const Dimension rows = matrix_axis(context, 0, transpose_a, 0);
  const Dimension columns = matrix_axis(context, 3, transpose_b, 1);
  check_dimension("the depth of 'B'", matrix_axis(context, 3, transpose_b, 0),
                  matrix_axis(context, 0, transpose_a, 1));
  check_single(context, 1, "a_scale");
  check_single(context, 2, "a_zero_point");
  check_one_or_vector(context, 4, "b_scale", columns);
  check_one_or_vector(context, 5, "b_zero_point", columns);
  check_single(context, 7, "y_scale");
  check_single(context, 8, "y_zero_point");
  const Dimensions shape = {rows, columns};
  check_broadcasts_to(context, 6, "C", shape);
  const DataType type = context.has_input(8)   ? context.element(8)
                        : context.has_input(7) ? context.element(0)
                                               : DataType::float32;
  context.set_output(0, type, shape);
}

void MatMulIntegerToFloat::infer(InferContext& context) const {
  const Dimension columns = columns_of(context, 1);
  check_one_or_vector(context, 3, "b_scale", columns);
  check_one_or_vector(context, 5, "b_zero_point", columns);
  check_vector(context, 6, "bias", columns);
  context.set_output(0, context.element(2), matmul_shape(context, 0, 1));
}

void DynamicQuantizeMatMul::infer(InferContext& context) const {
  const Dimension columns = columns_of(context, 1);
  check_one_or_vector(context, 2, "b_scale", columns);
  check_one_or_vector(context, 3, "b_zero_point", columns);
  check_vector(context, 4, "bias", columns);
  context.set_output(0, DataType::float32, matmul_shape(context, 0, 1));
}

void MatMulInteger16::infer(InferContext& context) const {
  const bool is_unsigned =
      context.element(0) == DataType::uint16 && context.element(1) == DataType::uint16;
  context.set_output(0, is_unsigned ? DataType::uint32 : DataType::int32,
                     matmul_shape(context, 0, 1));
}

}  // namespace ortool
