// Int8 GEMM microkernel for AVX2: pairs of int16 values, so that no product saturates.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

#define ORTOOL_ISA avx2
#define ORTOOL_TILE_GROUP 2
#define ORTOOL_TILE_ROWS 6
#define ORTOOL_TILE_VECTORS 2
#define ORTOOL_TILE_PLANE run_plane

namespace ortool::cpu::avx2 {
namespace {

typedef __m256i Words;
constexpr int lanes = 8;

inline Words load_words(const int32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
inline void store_words(int32_t* to, Words value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}
inline Words splat_word(int32_t value) {
  return _mm256_set1_epi32(value);
}
inline Words dot(Words sums, Words a, Words b) {
  return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
}

/// Loads the inputs of adjacent windows: sixteen bytes for each four windows, permuted into words.
struct Spread {
  __m256i index;
  __m256i order;

  Spread(const int32_t* words, const uint8_t* bytes)
      : index(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words))),
        order(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes))) {}

  Words load(const uint8_t* from) const {
    const __m256i prefetch = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(prefetch, index), order);
  }
};

}  // namespace
}  // namespace ortool::cpu::avx2

#include "kernels/cpu/gemm/int8/depthwise_plane.inc"
#include "kernels/cpu/gemm/int8/microkernel.inc"
