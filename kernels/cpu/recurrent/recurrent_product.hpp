// One product of a recurrent layer: packed panels for float, plain sums over rows for double.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/gemm/f32/gemm.hpp"

namespace ortool::cpu {

/// c (m × n) = a (m × k) by the transpose of a matrix of n rows, plus `bias`, one value per column,
/// unless it is null. Rows are packed from a matrix with that stride.
template <typename T>
struct RecurrentProduct;

template <>
struct RecurrentProduct<float> {
  static std::int64_t packed_elements(std::int64_t n, std::int64_t k, Isa isa) {
    return packed_b_bytes(k, n, isa) / 4;
  }
  static void pack(std::int64_t n, std::int64_t k, const float* rows, std::int64_t stride, Isa isa,
                   float* out, Workers& workers) {
    pack_b(k, n, {.data = rows, .stride = stride, .transposed = true}, isa, out, workers);
  }
  static std::int64_t workspace_bytes(std::int64_t m, std::int64_t n, std::int64_t k, Isa isa) {
    return gemm_workspace_bytes({.m = m, .n = n, .k = k}, isa);
  }
  static void run(const GemmSizes& sizes, const float* a, const float* packed, const float* bias,
                  float* c, std::int64_t c_stride, Isa isa, void* workspace, Workers& workers) {
    Epilogue epilogue;
    if (bias != nullptr) {
      epilogue.addend = Addend::per_column;
      epilogue.added = bias;
    }
    gemm(sizes, {.data = a, .stride = sizes.k}, packed, c, c_stride, epilogue, isa, workspace,
         workers);
  }
};

template <>
struct RecurrentProduct<double> {
  static std::int64_t packed_elements(std::int64_t n, std::int64_t k, Isa) { return n * k; }
  static void pack(std::int64_t n, std::int64_t k, const double* rows, std::int64_t stride, Isa,
                   double* out, Workers&) {
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(rows + i * stride, k, out + i * k);
  }
  static std::int64_t workspace_bytes(std::int64_t, std::int64_t, std::int64_t, Isa) { return 0; }
  static void run(const GemmSizes& sizes, const double* a, const double* rows, const double* bias,
                  double* c, std::int64_t c_stride, Isa, void*, Workers& workers) {
    const std::int64_t grain =
        std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, sizes.k));
    workers.parallel_ranges(sizes.m * sizes.n, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = i / sizes.n;
        const std::int64_t column = i % sizes.n;
        double sum = 0;
        for (std::int64_t k = 0; k < sizes.k; ++k)
          sum += a[row * sizes.k + k] * rows[column * sizes.k + k];
        c[row * c_stride + column] = bias != nullptr ? sum + bias[column] : sum;
      }
    });
  }
};

}  // namespace ortool::cpu
