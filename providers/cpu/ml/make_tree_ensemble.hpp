// Tree ensemble construction: converts parsed decision trees to the layout for fast traversal.
#pragma once

#include "kernels/cpu/ml/tree_ensemble.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool::cpu {

/// Whether float32 represents every threshold exactly.
bool fits_float32(const DecisionTrees& trees);

/// T: float, double. Throws ErrorCode::unsupported above 2^31 nodes and leaves in total.
template <typename T>
Forest<T> make_forest(const DecisionTrees& trees);

}  // namespace ortool::cpu
