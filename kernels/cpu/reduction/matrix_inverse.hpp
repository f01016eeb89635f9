// Inverses of a batch of matrices (com.microsoft.Inverse).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Bytes of workspace for a run by up to `threads` threads.
std::int64_t inverse_workspace_bytes(std::int64_t n, int threads);

/// in and out: matrices × n × n. T: float, double. Uses Gauss-Jordan elimination with row pivoting
/// in float64, one thread per matrix, so results do not depend on the number of threads. The
/// inverse of a singular matrix holds infinities and NaN. `workspace` must be sized for at least
/// workers.count() threads.
template <typename T>
void matrix_inverse(const T* in, T* out, std::int64_t matrices, std::int64_t n, void* workspace,
                    Workers& workers);

}  // namespace ortool::cpu
