// The determinant of each matrix of a batch.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Bytes of workspace for a run by up to `threads` threads.
std::int64_t determinant_workspace_bytes(std::int64_t n, int threads);

/// in: matrices × n × n; out: one number a matrix, 1 where n is 0. T: float, double. By elimination
/// with pivots in float64, a matrix on one thread, so the bits do not depend on threads.
/// `workspace` was sized for at least workers.count() threads.
template <typename T>
void determinant(const T* in, T* out, std::int64_t matrices, std::int64_t n, void* workspace,
                 Workers& workers);

}  // namespace ortool::cpu
