// Decision trees as their operator read them, brought into the order that walking likes.
#pragma once

#include "kernels/cpu/ml/tree_ensemble.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool::cpu {

/// Whether float32 holds every threshold exactly.
bool fits_float32(const DecisionTrees& trees);

/// T: float, double. Throws ErrorCode::unsupported above 2^31 nodes and leaves together.
template <typename T>
Forest<T> make_forest(const DecisionTrees& trees);

}  // namespace ortool::cpu
