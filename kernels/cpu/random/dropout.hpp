// Elements zeroed at random, as training does.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Number i from 0 to below 1, of 53 bits, of the Mersenne twister MT19937 (Matsumoto and
/// Nishimura, TOMACS 1998) with `seed`: kept[i] says that it is at least `ratio`. These are the
/// numbers of numpy's RandomState(seed).random_sample(), which ONNX's reference draws.
void draw_kept(std::uint32_t seed, double ratio, bool* kept, std::int64_t count);

/// out = kept ? x / (1 - ratio) : 0; float16, bfloat16, float32 (all in float32) or float64. `out`
/// may be `in`.
void drop(DataType type, const void* in, const bool* kept, double ratio, void* out,
          std::int64_t count, Workers& workers);

}  // namespace ortool::cpu
