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

/// The first 64 nodes of a heap.
struct UpperNodes {
  __m512i upper;      // levels 0 to 3
  __m512i fifth;      // level 4
  __m512i sixth_low;  // level 5
  __m512i sixth_high;
};

inline __attribute__((always_inline)) UpperNodes upper_nodes(const uint32_t* nodes) {
  return {_mm512_loadu_si512(nodes), _mm512_loadu_si512(nodes + 15), _mm512_loadu_si512(nodes + 31),
          _mm512_loadu_si512(nodes + 47)};
}

/// The nodes of a level at heap positions.
inline __attribute__((always_inline)) __m512i nodes_at(const UpperNodes& first,
                                                       const uint32_t* nodes, int32_t level,
                                                       __m512i place) {
  if (level < 4) return _mm512_maskz_permutexvar_epi32(every_lane, place, first.upper);
  if (level == 4)
    return _mm512_maskz_permutexvar_epi32(
        every_lane, _mm512_sub_epi32(place, _mm512_set1_epi32(15)), first.fifth);
  if (level == 5)
    return _mm512_permutex2var_epi32(
        first.sixth_low, _mm512_sub_epi32(place, _mm512_set1_epi32(31)), first.sixth_high);
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), every_lane, place, nodes, 4);
}

/// One level down, for the lanes of `lane`.
inline __attribute__((always_inline)) __m512i next_place(__m512i node, __m512i place, __m512i lane,
                                                         const uint16_t* ranks) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i low_half = _mm512_set1_epi32(0xFFFF);
  const __m512i feature = _mm512_maskz_srli_epi32(every_lane, node, 16);
  const __m512i at = _mm512_add_epi32(_mm512_maskz_slli_epi32(every_lane, feature, 5), lane);
  const __m512i found =
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), every_lane, at, ranks, 2);
  const __mmask16 is_above =
      _mm512_cmpgt_epi32_mask(_mm512_and_si512(found, low_half), _mm512_and_si512(node, low_half));
  const __m512i left = _mm512_add_epi32(_mm512_add_epi32(place, place), one);
  return _mm512_mask_add_epi32(left, is_above, left, one);
}

inline __attribute__((always_inline)) __m512i lanes_from(int32_t first) {
  const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_add_epi32(order, _mm512_set1_epi32(first));
}

/// The leaf that each lane reaches.
inline __attribute__((always_inline)) void descend(const WalkedTree& heap, const uint16_t* ranks,
                                                   __m512i (&place)[rank_vectors]) {
  const UpperNodes first = upper_nodes(heap.nodes);
  for (int v = 0; v < rank_vectors; ++v) place[v] = _mm512_setzero_si512();
  for (int32_t level = 0; level < heap.depth; ++level) {
#pragma GCC unroll 2
    for (int v = 0; v < rank_vectors; ++v)
      place[v] = next_place(nodes_at(first, heap.nodes, level, place[v]), place[v],
                            lanes_from(v * rank_vector_lanes), ranks);
  }
  const __m512i inner = _mm512_set1_epi32((1 << heap.depth) - 1);
  for (int v = 0; v < rank_vectors; ++v) place[v] = _mm512_sub_epi32(place[v], inner);
}

/// The leaves of two heaps that the first lanes reach; the shallower one waits.
inline __attribute__((always_inline)) void descend_pair(const WalkedTree* heaps,
                                                        const uint16_t* ranks,
                                                        __m512i (&place)[rank_vectors]) {
  const UpperNodes first[rank_vectors] = {upper_nodes(heaps[0].nodes), upper_nodes(heaps[1].nodes)};
  const __m512i lane = lanes_from(0);
  for (int v = 0; v < rank_vectors; ++v) place[v] = _mm512_setzero_si512();
  const int32_t both = heaps[0].depth < heaps[1].depth ? heaps[0].depth : heaps[1].depth;
  for (int32_t level = 0; level < both; ++level) {
#pragma GCC unroll 2
    for (int v = 0; v < rank_vectors; ++v)
      place[v] =
          next_place(nodes_at(first[v], heaps[v].nodes, level, place[v]), place[v], lane, ranks);
  }
#pragma GCC unroll 2
  for (int v = 0; v < rank_vectors; ++v) {
    for (int32_t level = both; level < heaps[v].depth; ++level)
      place[v] =
          next_place(nodes_at(first[v], heaps[v].nodes, level, place[v]), place[v], lane, ranks);
    place[v] = _mm512_sub_epi32(place[v], _mm512_set1_epi32((1 << heaps[v].depth) - 1));
  }
}

/// Adds the weights of leaves to the scores of 16 lanes.
inline __attribute__((always_inline)) void add_leaves(const float* weights, __m512i leaf,
                                                      int32_t targets, float* scores) {
  const __m512i first = _mm512_mullo_epi32(leaf, _mm512_set1_epi32(targets));
  for (int32_t target = 0; target < targets; ++target) {
    float* const to = scores + target * all_lanes;
    const __m512 added =
        _mm512_mask_i32gather_ps(_mm512_setzero_ps(), every_lane, first, weights + target, 4);
    _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), added));
  }
}

void walk(const WalkedTree& heap, const uint16_t* ranks, int32_t* leaves) {
  __m512i place[rank_vectors];
  descend(heap, ranks, place);
  for (int v = 0; v < rank_vectors; ++v)
    _mm512_storeu_si512(leaves + v * rank_vector_lanes, place[v]);
}

void add(const WalkedTree& heap, const uint16_t* ranks, int32_t targets, float* scores) {
  __m512i place[rank_vectors];
  descend(heap, ranks, place);
  for (int v = 0; v < rank_vectors; ++v)
    add_leaves(heap.weights, place[v], targets, scores + v * rank_vector_lanes);
}

void add_pair(const WalkedTree* heaps, const uint16_t* ranks, int32_t targets, float* scores) {
  __m512i place[rank_vectors];
  descend_pair(heaps, ranks, place);
  for (int v = 0; v < rank_vectors; ++v) add_leaves(heaps[v].weights, place[v], targets, scores);
}

}  // namespace

const RankedWalkFunctions ranked_walk_functions = {
    .lanes = all_lanes, .rank = rank, .walk = walk, .add = add, .add_pair = add_pair};

}  // namespace ortool::cpu::avx512
