// Tree walks of many lanes at once, by gathers.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Nodes of four 32-bit words: the threshold, the index of the feature, and the nodes that follow
/// if the comparison is true and if it is not. Nodes from `first_leaf` on are leaves.
struct WalkedNodes {
  const void* nodes;
  int32_t first_leaf;
  int32_t
      comparison;  ///< a ForestComparison up to not_equal; false for NaN, but true for not_equal
};

struct TreeWalkFunctions {
  int32_t lanes;
  /// Lane i goes from node at[i] to its leaf with the features at x + offsets[i].
  void (*walk)(const WalkedNodes& nodes, const float* x, const int32_t* offsets, int32_t* at);
  /// scores[i] += weights[at[i]] for all lanes.
  void (*add_weights)(const float* weights, const int32_t* at, float* scores);
};

ORTOOL_ISA_KERNEL_OR_NULL(TreeWalkFunctions, tree_walk_functions, avx512)

}  // namespace ortool::cpu
