// Determinants of a batch of matrices (Det).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Bytes of workspace for a run by up to `threads` threads.
std::int64_t determinant_workspace_bytes(std::int64_t n, int threads);

/// in: matrices × n × n; out: one value per matrix, 1 if n is 0. T: float, double. Uses Gaussian
/// elimination with pivoting in float64, one thread per matrix, so results do not depend on the
/// number of threads. `workspace` must be sized for at least workers.count() threads.
template <typename T>
void determinant(const T* in, T* out, std::int64_t matrices, std::int64_t n, void* workspace,
                 Workers& workers);

}  // namespace ortool::cpu
