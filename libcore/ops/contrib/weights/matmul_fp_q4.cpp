// Schema of MatMulFpQ4; the matrix's shape decides the product's.
#include "libcore/ops/contrib/weights/matmul_fp_q4.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema MatMulFpQ4::schema = {
    "MatMulFpQ4",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"}, {"B", "T2"}, {"B_shape", "T3"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"blk_quant_type", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::float32_only},
                {"T2", types_of({DataType::uint8})},
                {"T3", types::int64_only}}}}};

void MatMulFpQ4::read(AttributeReader& attributes, int) {
  const std::int64_t type = attributes.integer_in("blk_quant_type", 1, 0, 2);
  has_zeros = type == 1;
  block_size = type == 2 ? 64 : 32;
}

void MatMulFpQ4::infer(InferContext& context) const {
  check_vector(context, 2, "B_shape", Dimension(2));
  check_rank_at_least(context, 0, "A", 1);
  PartialShape shape = context.shape(0);
  const std::optional<Dimensions> matrix = shape_values(context, 2);
  if (shape) {
    if (matrix) check_dimension("the last axis of 'A'", shape->back(), (*matrix)[0]);
    shape->back() = matrix ? (*matrix)[1] : context.unknown_dimension();
  }
  context.set_output(0, DataType::float32, std::move(shape));
}

}  // namespace ortool
