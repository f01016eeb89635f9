// Reference GEMM for types without vector kernels: float64 and integers, which wrap.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A matrix of elements T in memory; see StridedMatrix.
template <typename T>
struct ReferenceMatrix {
  const T* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// c = a * b for each of `offsets` (into a, b and c); c is row-major and contiguous, and sums run
/// in the order of k. T: double, int32_t, int64_t, uint32_t, uint64_t. c must not overlap a or b.
template <typename T>
void matmul_reference(std::span<const GemmOffsets> offsets, const GemmSizes& sizes,
                      const ReferenceMatrix<T>& a, const ReferenceMatrix<T>& b, T* c,
                      Workers& workers);

/// c = alpha * c + beta * added, where `added` (null: none) has strides `row_step` and
/// `column_step` in elements; 0 broadcasts.
template <typename T>
void scale_and_add(std::int64_t m, std::int64_t n, T alpha, T beta, const T* added,
                   std::int64_t row_step, std::int64_t column_step, T* c, Workers& workers);

}  // namespace ortool::cpu
