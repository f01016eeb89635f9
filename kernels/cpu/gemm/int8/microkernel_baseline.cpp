// Int8 GEMM microkernel for any processor of the architecture: pairs of int16 values.
#include <stddef.h>
#include <stdint.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#include "kernels/cpu/gemm/int8/microkernel.hpp"

#define ORTOOL_ISA baseline
#define ORTOOL_TILE_GROUP 2
#define ORTOOL_TILE_ROWS 4
#define ORTOOL_TILE_VECTORS 2
#define ORTOOL_TILE_PLANE nullptr

namespace ortool::cpu::baseline {
namespace {

constexpr int lanes = 4;

#if defined(__aarch64__)

typedef int32x4_t Words;

inline Words load_words(const int32_t* from) {
  return vld1q_s32(from);
}
inline void store_words(int32_t* to, Words value) {
  vst1q_s32(to, value);
}
inline Words splat_word(int32_t value) {
  return vdupq_n_s32(value);
}
inline Words dot(Words sums, Words a, Words b) {
  const int16x8_t x = vreinterpretq_s16_s32(a);
  const int16x8_t y = vreinterpretq_s16_s32(b);
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
  return vaddq_s32(sums, vpaddq_s32(low, vmull_high_s16(x, y)));
}

#else

typedef __m128i Words;

inline Words load_words(const int32_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
inline void store_words(int32_t* to, Words value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}
inline Words splat_word(int32_t value) {
  return _mm_set1_epi32(value);
}
inline Words dot(Words sums, Words a, Words b) {
  return _mm_add_epi32(sums, _mm_madd_epi16(a, b));
}

#endif

}  // namespace
}  // namespace ortool::cpu::baseline

#include "kernels/cpu/gemm/int8/microkernel.inc"
