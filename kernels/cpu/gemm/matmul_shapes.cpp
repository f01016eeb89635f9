// MatMul shapes: broadcasts batches as NumPy does; vectors act as matrices of one row or column.
#include "kernels/cpu/gemm/matmul_shapes.hpp"

#include "kernels/cpu/parallel/broadcast.hpp"

namespace ortool::cpu {
namespace {

std::vector<std::int64_t> batch_of(const Shape& shape) {
  if (shape.rank() <= 2) return {};
  return {shape.begin(), shape.end() - 2};
}

}  // namespace

MatMulShapes match_matmul(const Shape& a, const Shape& b) {
  MatMulShapes result;
  const std::int64_t rows = a.rank() == 1 ? 1 : a[a.rank() - 2];
  result.sizes = {rows, b.rank() == 1 ? 1 : b[b.rank() - 1], a[a.rank() - 1]};
  const std::vector<std::int64_t> a_batch = batch_of(a);
  const std::vector<std::int64_t> b_batch = batch_of(b);
  const BroadcastPlan plan = make_broadcast_plan(a_batch, b_batch);
  std::vector<std::int64_t> shape = plan.shape;
  if (a.rank() > 1) shape.push_back(rows);
  if (b.rank() > 1) shape.push_back(result.sizes.n);
  result.result = Shape(std::move(shape));
  const Shape b_matrices(b_batch);
  if (b_matrices.element_count() == 1) {
    result.is_single = true;
    result.sizes.m = a.product(0, a.rank() - 1);
    result.offsets.emplace_back();
    return result;
  }
  const std::int64_t a_size = multiply_sizes(rows, result.sizes.k);
  const std::int64_t b_size = multiply_sizes(result.sizes.k, result.sizes.n);
  const std::int64_t c_size = multiply_sizes(rows, result.sizes.n);
  walk_rows(plan, 0, plan.count,
            [&](const std::int64_t* starts, std::int64_t begin, std::int64_t length) {
              const BroadcastPlan::Loop& inner = plan.loops.back();
              for (std::int64_t i = 0; i < length; ++i) {
                GemmOffsets offsets;
                offsets.a = (starts[0] + i * inner.strides[0]) * a_size;
                offsets.b = (starts[1] + i * inner.strides[1]) * b_size;
                offsets.c = (begin + i) * c_size;
                offsets.residual = offsets.c;
                result.offsets.push_back(offsets);
              }
            });
  return result;
}

}  // namespace ortool::cpu
