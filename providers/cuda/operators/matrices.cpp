// Matrices: stacks of operands are made equal in number.
#include "providers/cuda/operators/matrices.hpp"

#include <algorithm>

#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

namespace {

/// Repeats matrices so that there is one for each of `batch`.
void expand_batch(DevicePlanBuilder& builder, Matrices& operand,
                  const std::vector<std::int64_t>& batch) {
  std::vector<std::int64_t> to = batch;
  to.push_back(operand.rows * operand.columns);
  std::vector<std::int64_t> from(batch.size() - operand.batch.size(), 1);
  from.insert(from.end(), operand.batch.begin(), operand.batch.end());
  from.push_back(operand.rows * operand.columns);
  const Shape sizes(to);
  std::vector<std::int64_t> strides = strides_of(Shape(from));
  for (std::size_t axis = 0; axis < batch.size(); ++axis) {
    if (from[axis] == 1 && to[axis] != 1) strides[axis] = 0;
  }
  const DeviceTensor repeated = builder.make(operand.tensor.type, sizes);
  emit_copy(builder, operand.tensor, 0, sizes, strides, repeated, 0, strides_of(sizes));
  operand.tensor = repeated;
  operand.batch = batch;
}

}  // namespace

Matrices matrices_of(DeviceTensor tensor, bool is_transposed, bool is_first) {
  Matrices result;
  const Shape& shape = tensor.shape;
  const std::int64_t rank = shape.rank();
  if (rank == 1) {
    (is_first ? result.columns : result.rows) = shape[0];
  } else {
    for (std::int64_t axis = 0; axis + 2 < rank; ++axis) result.batch.push_back(shape[axis]);
    result.rows = shape[is_transposed ? rank - 1 : rank - 2];
    result.columns = shape[is_transposed ? rank - 2 : rank - 1];
    result.is_transposed = is_transposed;
  }
  result.tensor = std::move(tensor);
  return result;
}

std::int64_t align_batches(DevicePlanBuilder& builder, Matrices& a, Matrices& b) {
  if (a.batch == b.batch) return a.count();
  if (b.count() == 1 && !a.is_transposed) {
    // One matrix for all rows.
    a.rows *= a.count();
    a.batch.clear();
    b.batch.clear();
    return 1;
  }
  if (b.count() == 1 || a.count() == 1) return std::max(a.count(), b.count());
  const std::size_t rank = std::max(a.batch.size(), b.batch.size());
  std::vector<std::int64_t> batch(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto size = [&](const Matrices& operand) {
      return i + operand.batch.size() < rank ? 1 : operand.batch[i + operand.batch.size() - rank];
    };
    batch[i] = size(a) == 1 ? size(b) : size(a);
  }
  for (Matrices* operand : {&a, &b}) {
    if (operand->batch != batch) expand_batch(builder, *operand, batch);
  }
  return a.count();
}

}  // namespace ortool::cuda
