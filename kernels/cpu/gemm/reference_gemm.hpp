// Reference GEMM for the types without vector kernels: float64 and integers, which wrap.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Where a matrix of elements T lies; see MatrixIn.
template <typename T>
struct ReferenceMatrix {
  const T* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// c = a * b for each of `offsets` (of a, b and c), c row-major without gaps, sums in the order of
/// k. T: double, int32_t, int64_t, uint32_t, uint64_t. c must not overlap a or b.
template <typename T>
void matmul_reference(std::span<const GemmOffsets> offsets, const GemmSizes& sizes,
                      const ReferenceMatrix<T>& a, const ReferenceMatrix<T>& b, T* c,
                      Workers& workers);

/// c = alpha * c + beta * added, where `added` (null: none) lies `row_step` and `column_step`
/// elements from row to row and column to column, 0 where it repeats.
template <typename T>
void scale_and_add(std::int64_t m, std::int64_t n, T alpha, T beta, const T* added,
                   std::int64_t row_step, std::int64_t column_step, T* c, Workers& workers);

}  // namespace ortool::cpu
