// Determinants by Gaussian elimination on a float64 copy: the product of the pivots, with the sign
// of the row swaps.
#include "kernels/cpu/reduction/determinant.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t min_work = 65536;

double eliminate(double* matrix, std::int64_t n, const Workers& workers) {
  double product = 1;
  for (std::int64_t column = 0; column < n; ++column) {
    std::int64_t pivot = column;
    for (std::int64_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    }
    double* top = matrix + column * n;
    if (pivot != column) {
      std::swap_ranges(top, top + n, matrix + pivot * n);
      product = -product;
    }
    product *= top[column];
    if (top[column] == 0) return product;
    for (std::int64_t row = column + 1; row < n; ++row) {
      workers.poll();
      double* line = matrix + row * n;
      const double factor = line[column] / top[column];
      for (std::int64_t i = column + 1; i < n; ++i) line[i] -= factor * top[i];
    }
  }
  return product;
}

}  // namespace

std::int64_t determinant_workspace_bytes(std::int64_t n, int threads) {
  const std::int64_t matrix = multiply_sizes(multiply_sizes(n, n), sizeof(double));
  return multiply_sizes(matrix, std::min(threads, WorkspaceSlots::most));
}

template <typename T>
void determinant(const T* in, T* out, std::int64_t matrices, std::int64_t n, void* workspace,
                 Workers& workers) {
  const std::int64_t size = n * n;
  WorkspaceSlots slots(workspace, size * static_cast<std::int64_t>(sizeof(double)),
                       workers.count());
  const std::int64_t grain =
      std::max<std::int64_t>(1, min_work / std::max<std::int64_t>(1, size * n));
  workers.parallel_ranges(matrices, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    auto* matrix = reinterpret_cast<double*>(lease.data());
    for (std::int64_t i = begin; i < end; ++i) {
      std::copy_n(in + i * size, size, matrix);
      out[i] = static_cast<T>(eliminate(matrix, n, workers));
    }
  });
}

template void determinant(const float*, float*, std::int64_t, std::int64_t, void*, Workers&);
template void determinant(const double*, double*, std::int64_t, std::int64_t, void*, Workers&);

}  // namespace ortool::cpu
