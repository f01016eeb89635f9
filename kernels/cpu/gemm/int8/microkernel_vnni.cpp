// Int8 GEMM microkernel for AVX-512 VNNI: one quad dot product per lane and step.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

#define ORTOOL_ISA vnni
#define ORTOOL_TILE_GROUP 4
#define ORTOOL_TILE_ROWS 8
#define ORTOOL_TILE_VECTORS 3
#define ORTOOL_TILE_PLANE run_plane

namespace ortool::cpu::vnni {
namespace {

typedef __m512i Words;
constexpr int lanes = 16;

inline Words load_words(const int32_t* from) {
  return _mm512_loadu_si512(from);
}
inline void store_words(int32_t* to, Words value) {
  _mm512_storeu_si512(to, value);
}
inline Words splat_word(int32_t value) {
  return _mm512_set1_epi32(value);
}
inline Words dot(Words sums, Words a, Words b) {
  return _mm512_dpbusd_epi32(sums, a, b);
}

/// Loads the inputs of adjacent windows: sixteen bytes for each four windows, permuted into quads.
struct Spread {
  __m512i index;
  __m512i order;

  Spread(const int32_t* words, const uint8_t* bytes)
      : index(_mm512_loadu_si512(words)), order(_mm512_loadu_si512(bytes)) {}

  Words load(const uint8_t* from) const {
    const __m512i prefetch = _mm512_loadu_si512(from);
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(index, prefetch), order);
  }
};

}  // namespace
}  // namespace ortool::cpu::vnni

#include "kernels/cpu/gemm/int8/depthwise_plane.inc"
#include "kernels/cpu/gemm/int8/microkernel.inc"
