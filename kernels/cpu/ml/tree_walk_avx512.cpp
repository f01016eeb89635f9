// Tree walks of 32 lanes: the gathers of two vectors overlap.
#include <immintrin.h>

#include "kernels/cpu/ml/tree_walk.hpp"

namespace ortool::cpu::avx512 {
namespace {

constexpr int vectors = 2;
constexpr int vector_lanes = 16;

template <int comparison>
void walk_lanes(const WalkedNodes& nodes, const float* x, const int32_t* offsets, int32_t* at) {
  const auto* const base = static_cast<const int32_t*>(nodes.nodes);
  const __m512i first_leaf = _mm512_set1_epi32(nodes.first_leaf);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i two = _mm512_set1_epi32(2);
  __m512i place[vectors];
  __m512i offset[vectors];
  for (int v = 0; v < vectors; ++v) {
    place[v] = _mm512_loadu_si512(at + v * vector_lanes);
    offset[v] = _mm512_loadu_si512(offsets + v * vector_lanes);
  }
  for (;;) {
    __mmask16 inner[vectors];
    for (int v = 0; v < vectors; ++v) inner[v] = _mm512_cmplt_epi32_mask(place[v], first_leaf);
    if ((inner[0] | inner[1]) == 0) break;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __m512i word = _mm512_slli_epi32(place[v], 2);
      const __m512 threshold =
          _mm512_mask_i32gather_ps(_mm512_setzero_ps(), inner[v], word, base, 4);
      const __m512i feature =
          _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inner[v], word, base + 1, 4);
      const __m512 value = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), inner[v],
                                                    _mm512_add_epi32(offset[v], feature), x, 4);
      const __mmask16 holds = _mm512_cmp_ps_mask(value, threshold, comparison);
      const __m512i next = _mm512_add_epi32(word, two);
      const __m512i next_word =
          _mm512_mask_add_epi32(next, static_cast<__mmask16>(~holds), next, one);
      place[v] = _mm512_mask_i32gather_epi32(place[v], inner[v], next_word, base, 4);
    }
  }
  for (int v = 0; v < vectors; ++v) _mm512_storeu_si512(at + v * vector_lanes, place[v]);
}

void walk(const WalkedNodes& nodes, const float* x, const int32_t* offsets, int32_t* at) {
  // In the order of ForestComparison.
  using Walk = void (*)(const WalkedNodes&, const float*, const int32_t*, int32_t*);
  constexpr Walk walks[] = {walk_lanes<_CMP_LE_OQ>, walk_lanes<_CMP_LT_OQ>,
                            walk_lanes<_CMP_GE_OQ>, walk_lanes<_CMP_GT_OQ>,
                            walk_lanes<_CMP_EQ_OQ>, walk_lanes<_CMP_NEQ_UQ>};
  walks[nodes.comparison](nodes, x, offsets, at);
}

void add_weights(const float* weights, const int32_t* at, float* scores) {
  constexpr __mmask16 all = 0xFFFF;
  for (int v = 0; v < vectors; ++v) {
    const __m512i place = _mm512_loadu_si512(at + v * vector_lanes);
    const __m512 added = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), all, place, weights, 4);
    float* const to = scores + v * vector_lanes;
    _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), added));
  }
}

}  // namespace

const TreeWalkFunctions tree_walk_functions = {
    .lanes = vectors * vector_lanes, .walk = walk, .add_weights = add_weights};

}  // namespace ortool::cpu::avx512
