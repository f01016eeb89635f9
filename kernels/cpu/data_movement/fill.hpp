// Fills: constant tensors (ConstantOfShape) and arithmetic sequences (Range).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Writes `count` copies of the element at `value`; elements of 1, 2, 4, 8 or 16 bytes.
void fill(const void* value, void* out, std::int64_t count, std::int64_t element_bytes,
          Workers& workers);

/// out[i] = start + i · delta. Floats are computed in float64 and rounded once; integers wrap.
template <typename T>
void fill_range(T start, T delta, T* out, std::int64_t count, Workers& workers);

}  // namespace ortool::cpu
