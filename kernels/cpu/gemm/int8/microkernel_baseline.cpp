// Int8 GEMM microkernel for any x86-64 processor: pairs of int16 values.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

#define ORTOOL_ISA baseline
#define ORTOOL_TILE_GROUP 2
#define ORTOOL_TILE_ROWS 4
#define ORTOOL_TILE_VECTORS 2
#define ORTOOL_TILE_PLANE nullptr

namespace ortool::cpu::baseline {
namespace {

typedef __m128i Words;
constexpr int lanes = 4;

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

}  // namespace
}  // namespace ortool::cpu::baseline

#include "kernels/cpu/gemm/int8/microkernel.inc"
