// Versions of MatMul, which differ in types only, and its shape rule for vectors and batches.
#include "libcore/ops/math/matmul.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema MatMul::schema = {
    "MatMul",
    "",
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 9,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_precision_numbers}}},
     {.since = 13,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats | types_of({DataType::int32, DataType::int64, DataType::uint32,
                                                DataType::uint64})}}}}};

void MatMul::infer(InferContext& context) const {
  context.set_output(0, context.element(0), matmul_shape(context, 0, 1));
}

PartialShape matmul_shape(const InferContext& context, std::int64_t first, std::int64_t second) {
  check_rank_at_least(context, first, "A", 1);
  check_rank_at_least(context, second, "B", 1);
  return matmul_shape(context.shape(first), context.shape(second));
}

PartialShape matmul_shape(const PartialShape& a, const PartialShape& b) {
  if (!a || !b) return std::nullopt;
  // A vector acts as a one-row matrix (A) or a one-column matrix (B); that axis is not in the
  // result.
  const Dimension& depth = b->size() == 1 ? b->back() : (*b)[b->size() - 2];
  check_dimension("the inner dimension of 'B'", depth, a->back());
  const auto batch = [](const Dimensions& shape) {
    return shape.size() <= 2 ? Dimensions() : Dimensions(shape.begin(), shape.end() - 2);
  };
  Dimensions output = *broadcast_shapes(batch(*a), batch(*b));
  if (a->size() > 1) output.push_back((*a)[a->size() - 2]);
  if (b->size() > 1) output.push_back(b->back());
  return output;
}

}  // namespace ortool
