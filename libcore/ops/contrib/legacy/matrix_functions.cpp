// Schemas and shapes of Inverse, CDist, SparseToDenseMatMul and GemmFastGelu.
#include "libcore/ops/contrib/legacy/matrix_functions.hpp"

#include <utility>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr TypeSet sparse_product_types =
    types_of({DataType::float32, DataType::float64, DataType::int32, DataType::int64,
              DataType::uint32, DataType::uint64});

PartialShape matrix_of(const InferContext& context, std::int64_t input, bool transposes) {
  PartialShape shape = context.shape(input);
  if (shape && shape->size() >= 2 && transposes)
    std::swap((*shape)[shape->size() - 2], shape->back());
  return shape;
}

}  // namespace

constinit const OpSchema Inverse::schema = {"Inverse",
                                            contrib_domain,
                                            {{.since = 1,
                                              .inputs = {{"X", "T"}},
                                              .outputs = {{"Y", "T"}},
                                              .types = {{"T", types::high_floats}}}}};

constinit const OpSchema CDist::schema = {
    "CDist",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"C", "T"}},
      .attributes = {{"metric", AttributeKind::string, false, "sqeuclidean"}},
      .types = {{"T", types_of({DataType::float32, DataType::float64})}}}}};

constinit const OpSchema SparseToDenseMatMul::schema = {
    "SparseToDenseMatMul",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T1"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", sparse_product_types}, {"T1", sparse_product_types}}}}};

constinit const OpSchema GemmFastGelu::schema = {
    "GemmFastGelu",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"W", "T"}, {"bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types_of({DataType::float32, DataType::float16, DataType::bfloat16})}}}}};

void Inverse::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 2);
  PartialShape shape = context.shape(0);
  if (shape) {
    Dimension& rows = (*shape)[shape->size() - 2];
    rows = shape->back() = merge_dimensions(rows, shape->back());
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void CDist::read(AttributeReader& attributes, int) {
  metric = attributes.choice("metric",
                             {"sqeuclidean", "euclidean", "cityblock", "chebyshev", "canberra",
                              "braycurtis", "cosine", "hamming"},
                             Metric::squared_euclidean);
}

void CDist::infer(InferContext& context) const {
  check_rank(context, 0, "A", 2);
  check_rank(context, 1, "B", 2);
  static_cast<void>(merge_dimensions(dimension_at(context, 0, 1), dimension_at(context, 1, 1)));
  context.set_output(0, common_element(context, 0, 2),
                     Dimensions{dimension_at(context, 0, 0), dimension_at(context, 1, 0)});
}

void SparseToDenseMatMul::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
  transpose_a = attributes.flag("transA");
  transpose_b = attributes.flag("transB");
}

void SparseToDenseMatMul::infer(InferContext& context) const {
  check_rank(context, 0, "A", 2);
  check_rank_at_least(context, 1, "B", 2);
  context.set_output(
      0, common_element(context, 0, 2),
      matmul_shape(matrix_of(context, 0, transpose_a), matrix_of(context, 1, transpose_b)));
}

void GemmFastGelu::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 1);
  check_rank_at_least(context, 1, "W", 1);
  context.set_output(0, common_element(context, 0, 3), matmul_shape(context, 0, 1));
}

}  // namespace ortool
