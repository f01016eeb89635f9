// The loops of rotary embedding over the pairs of one head, one set an instruction set.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

namespace baseline {
/// Turns `pairs` pairs (a, b) to (a cos - b sin, a sin + b cos); `out` may be `in`. A pair's
/// elements lie `pairs` apart, or side by side.
void rotate_halves(const float* in, const float* cosines, const float* sines, float* out,
                   int64_t pairs);
void rotate_neighbours(const float* in, const float* cosines, const float* sines, float* out,
                       int64_t pairs);
}  // namespace baseline
namespace avx2 {
void rotate_halves(const float* in, const float* cosines, const float* sines, float* out,
                   int64_t pairs);
void rotate_neighbours(const float* in, const float* cosines, const float* sines, float* out,
                       int64_t pairs);
}  // namespace avx2
namespace avx512 {
void rotate_halves(const float* in, const float* cosines, const float* sines, float* out,
                   int64_t pairs);
void rotate_neighbours(const float* in, const float* cosines, const float* sines, float* out,
                       int64_t pairs);
}  // namespace avx512

}  // namespace ortool::cpu
