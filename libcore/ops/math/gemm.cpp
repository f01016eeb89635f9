// Versions of Gemm; 7 made C broadcast without an attribute, 11 made it optional.
#include "libcore/ops/math/gemm.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Gemm::schema = {
    "Gemm",
    "",
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"broadcast", AttributeKind::integer, false, 0},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"broadcast", AttributeKind::integer, false, 0},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}}},
     {.since = 7,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}}},
     {.since = 9,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 11,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 13,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::floats | types_of({DataType::int32, DataType::int64, DataType::uint32,
                                                DataType::uint64})}}}}};

void Gemm::read(AttributeReader& attributes, int version) {
  alpha = attributes.number("alpha", 1.0F);
  beta = attributes.number("beta", 1.0F);
  transpose_a = attributes.integer("transA") != 0;
  transpose_b = attributes.integer("transB") != 0;
  broadcasts_c = version >= 7 || attributes.integer("broadcast") != 0;
}

void Gemm::infer(InferContext& context) const {
  check_rank(context, 0, "A", 2);
  check_rank(context, 1, "B", 2);
  const Dimension rows = dimension_at(context, 0, transpose_a ? 1 : 0);
  const Dimension columns = dimension_at(context, 1, transpose_b ? 0 : 1);
  check_dimension("the inner dimension of 'B'", dimension_at(context, 1, transpose_b ? 1 : 0),
                  dimension_at(context, 0, transpose_a ? 0 : 1));
  const Dimensions shape = {rows, columns};
  if (broadcasts_c) {
    check_broadcasts_to(context, 2, "C", shape);
  } else {
    check_rank(context, 2, "C", 2);
    check_dimension("the number of rows of 'C'", dimension_at(context, 2, 0), rows);
    check_dimension("the number of columns of 'C'", dimension_at(context, 2, 1), columns);
  }
  context.set_output(0, context.element(0), shape);
}

}  // namespace ortool
