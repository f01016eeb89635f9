// Ranked walks: the nodes of the upper six levels come from registers, the others by gathers.
#include <immintrin.h>

#include "kernels/cpu/ml/ranked_walk.hpp"

namespace ortool::cpu::avx512 {
namespace {

constexpr int rank_vectors = 2;
constexpr int rank_vector_lanes = 16;
constexpr int all_lanes = rank_vectors * rank_vector_lanes;
constexpr __mmask16 every_lane = 0xFFFF;

/// A branch-free binary search: steps of powers of two.
void rank(const ThresholdList& feature, const float* x, const int32_t* offsets, uint16_t* ranks) {
  int32_t first_step = 1;
  while (first_step * 2 <= feature.count) first_step *= 2;
  const __m512i count = _mm512_set1_epi32(feature.count);
  for (int v = 0; v < rank_vectors; ++v) {
    const __m512i offset = _mm512_loadu_si512(offsets + v * rank_vector_lanes);
    const __m512 value = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), every_lane, offset, x, 4);
    __m512i place = _mm512_setzero_si512();
    for (int32_t step = feature.count > 0 ? first_step : 0; step > 0; step /= 2) {
      const __m512i next = _mm512_add_epi32(place, _mm512_set1_epi32(step));
      const __mmask16 is_inside = _mm512_cmple_epi32_mask(next, count);
      const __m512 threshold =
          _mm512_mask_i32gather_ps(_mm512_setzero_ps(), is_inside, next, feature.thresholds - 1, 4);
      const __mmask16 is_below =
          feature.counts_equal ? _mm512_mask_cmp_ps_mask(is_inside, threshold, value, _CMP_LE_OQ)
                               : _mm512_mask_cmp_ps_mask(is_inside, threshold, value, _CMP_LT_OQ);
      place = _mm512_mask_mov_epi32(place, is_below, next);
    }
    const __mmask16 is_missing = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    place = _mm512_mask_mov_epi32(place, is_missing, _mm512_set1_epi32(feature.missing_rank));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(ranks + v * rank_vector_lanes),
                        _mm512_maskz_cvtepi32_epi16(every_lane, place));
  }
}

/// The heap position that each lane reaches below the last level.
inline __attribute__((always_inline)) void descend(const uint32_t* nodes, int32_t depth,
                                                   const uint16_t* ranks,
                                                   __m512i (&place)[rank_vectors]) {
  const __m512i upper = _mm512_loadu_si512(nodes);           // levels 0 to 3
  const __m512i fifth = _mm512_loadu_si512(nodes + 15);      // level 4
  const __m512i sixth_low = _mm512_loadu_si512(nodes + 31);  // level 5
  const __m512i sixth_high = _mm512_loadu_si512(nodes + 47);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i low_half = _mm512_set1_epi32(0xFFFF);
  const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512i lane[rank_vectors];
  for (int v = 0; v < rank_vectors; ++v) {
    lane[v] = _mm512_add_epi32(order, _mm512_set1_epi32(v * rank_vector_lanes));
    place[v] = _mm512_setzero_si512();
  }
  const auto step = [&](int v, __m512i node) {
    const __m512i feature = _mm512_maskz_srli_epi32(every_lane, node, 16);
    const __m512i at = _mm512_add_epi32(_mm512_maskz_slli_epi32(every_lane, feature, 5), lane[v]);
    const __m512i found =
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), every_lane, at, ranks, 2);
    const __mmask16 is_above = _mm512_cmpgt_epi32_mask(_mm512_and_si512(found, low_half),
                                                       _mm512_and_si512(node, low_half));
    const __m512i left = _mm512_add_epi32(_mm512_add_epi32(place[v], place[v]), one);
    place[v] = _mm512_mask_add_epi32(left, is_above, left, one);
  };
  const __m512i before_fifth = _mm512_set1_epi32(15);
  const __m512i before_sixth = _mm512_set1_epi32(31);
  for (int32_t level = 0; level < depth; ++level) {
    if (level < 4) {
#pragma GCC unroll 2
      for (int v = 0; v < rank_vectors; ++v)
        step(v, _mm512_maskz_permutexvar_epi32(every_lane, place[v], upper));
    } else if (level == 4) {
#pragma GCC unroll 2
      for (int v = 0; v < rank_vectors; ++v)
        step(v, _mm512_maskz_permutexvar_epi32(every_lane, _mm512_sub_epi32(place[v], before_fifth),
                                               fifth));
    } else if (level == 5) {
#pragma GCC unroll 2
      for (int v = 0; v < rank_vectors; ++v)
        step(v, _mm512_permutex2var_epi32(sixth_low, _mm512_sub_epi32(place[v], before_sixth),
                                          sixth_high));
    } else {
#pragma GCC unroll 2
      for (int v = 0; v < rank_vectors; ++v)
        step(v,
             _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), every_lane, place[v], nodes, 4));
    }
  }
  const __m512i inner = _mm512_set1_epi32((1 << depth) - 1);
  for (int v = 0; v < rank_vectors; ++v) place[v] = _mm512_sub_epi32(place[v], inner);
}

void walk(const uint32_t* nodes, int32_t depth, const uint16_t* ranks, int32_t* leaves) {
  __m512i place[rank_vectors];
  descend(nodes, depth, ranks, place);
  for (int v = 0; v < rank_vectors; ++v)
    _mm512_storeu_si512(leaves + v * rank_vector_lanes, place[v]);
}

void add(const uint32_t* nodes, int32_t depth, const uint16_t* ranks, const float* weights,
         float* scores) {
  __m512i place[rank_vectors];
  descend(nodes, depth, ranks, place);
  for (int v = 0; v < rank_vectors; ++v) {
    float* const to = scores + v * rank_vector_lanes;
    const __m512 added =
        _mm512_mask_i32gather_ps(_mm512_setzero_ps(), every_lane, place[v], weights, 4);
    _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), added));
  }
}

}  // namespace

const RankedWalkFunctions ranked_walk_functions = {
    .lanes = all_lanes, .rank = rank, .walk = walk, .add = add};

}  // namespace ortool::cpu::avx512
