// Matrix inverses by Gauss-Jordan elimination on a float64 copy beside the identity matrix.
#include "kernels/cpu/reduction/matrix_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t min_work_of_inverses = 65536;

/// Turns rows of [matrix | identity] into [identity | inverse].
void eliminate_both(double* rows, std::int64_t n, const Workers& workers) {
  const std::int64_t width = 2 * n;
  for (std::int64_t column = 0; column < n; ++column) {
    std::int64_t pivot = column;
    for (std::int64_t row = column + 1; row < n; ++row) {
      if (std::abs(rows[row * width + column]) > std::abs(rows[pivot * width + column]))
        pivot = row;
    }
    double* top = rows + column * width;
    if (pivot != column) std::swap_ranges(top, top + width, rows + pivot * width);
    const double scale = 1 / top[column];
    for (std::int64_t i = column; i < width; ++i) top[i] *= scale;
    for (std::int64_t row = 0; row < n; ++row) {
      workers.poll();
      double* line = rows + row * width;
      const double factor = line[column];
      if (row == column || factor == 0) continue;
      for (std::int64_t i = column; i < width; ++i) line[i] -= factor * top[i];
    }
  }
}

}  // namespace

std::int64_t inverse_workspace_bytes(std::int64_t n, int threads) {
  const std::int64_t both = multiply_sizes(multiply_sizes(n, n), 2 * sizeof(double));
  return multiply_sizes(both, std::min(threads, WorkspaceSlots::most));
}

template <typename T>
void matrix_inverse(const T* in, T* out, std::int64_t matrices, std::int64_t n, void* workspace,
                    Workers& workers) {
  const std::int64_t size = n * n;
  const std::int64_t width = 2 * n;
  WorkspaceSlots slots(workspace, 2 * size * static_cast<std::int64_t>(sizeof(double)),
                       workers.count());
  const std::int64_t grain =
      std::max<std::int64_t>(1, min_work_of_inverses / std::max<std::int64_t>(1, size * n));
  workers.parallel_ranges(matrices, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    auto* rows = reinterpret_cast<double*>(lease.data());
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t row = 0; row < n; ++row) {
        double* line = rows + row * width;
        std::copy_n(in + i * size + row * n, n, line);
        std::fill_n(line + n, n, 0.0);
        line[n + row] = 1;
      }
      eliminate_both(rows, n, workers);
      for (std::int64_t row = 0; row < n; ++row) {
        std::transform(rows + row * width + n, rows + (row + 1) * width, out + i * size + row * n,
                       [](double each) { return static_cast<T>(each); });
      }
    }
  });
}

template void matrix_inverse(const float*, float*, std::int64_t, std::int64_t, void*, Workers&);
template void matrix_inverse(const double*, double*, std::int64_t, std::int64_t, void*, Workers&);

}  // namespace ortool::cpu
