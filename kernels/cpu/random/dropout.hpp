// Dropout as in training: zeroes random elements.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// kept[i] = whether number i, in [0, 1) with 53 bits, of the Mersenne twister MT19937 (Matsumoto
/// and Nishimura, TOMACS 1998) with `seed` is at least `ratio`. These are the numbers of NumPy's
/// RandomState(seed).random_sample(), which ONNX's reference implementation draws.
void draw_kept(std::uint32_t seed, double ratio, bool* kept, std::int64_t count);

/// out = kept ? x / (1 - ratio) : 0, for float16, bfloat16, float32 (all computed in float32) or
/// float64. `out` may be `in`.
void drop(DataType type, const void* in, const bool* kept, double ratio, void* out,
          std::int64_t count, Workers& workers);

}  // namespace ortool::cpu
