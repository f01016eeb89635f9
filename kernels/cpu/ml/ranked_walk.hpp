// Walks through ranked trees: 32 rows through one, or 16 rows through two at a time.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// The thresholds of one feature.
struct ThresholdList {
  const float* thresholds;
  int32_t count;
  bool counts_equal;
  uint16_t missing_rank;
};

/// A tree of a walk; a heap of fewer than 64 nodes is padded to 64.
struct WalkedTree {
  const uint32_t* nodes;
  int32_t depth;
  const float* weights;  ///< weights[leaf * targets + target]; not read by `walk`
};

struct RankedWalkFunctions {
  int32_t lanes;
  /// ranks[i] of the values x[offsets[i]].
  void (*rank)(const ThresholdList& feature, const float* x, const int32_t* offsets,
               uint16_t* ranks);
  /// The leaf, from 0, that each lane reaches; ranks[feature * lanes + lane], followed by at least
  /// two bytes.
  void (*walk)(const WalkedTree& heap, const uint16_t* ranks, int32_t* leaves);
  /// The same; adds the leaves' weights to scores[target * lanes + lane].
  void (*add)(const WalkedTree& heap, const uint16_t* ranks, int32_t targets, float* scores);
  /// The same for two heaps, one after the other, and the first half of the lanes.
  void (*add_pair)(const WalkedTree* heaps, const uint16_t* ranks, int32_t targets, float* scores);
};

ORTOOL_ISA_KERNEL_OR_NULL(RankedWalkFunctions, ranked_walk_functions, avx512)

}  // namespace ortool::cpu
