// Peak memory of activations during a run.
#pragma once

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

struct ActivationMemory {
  Cost bytes;
  /// The formula is an upper bound of the peak, which may be smaller.
  bool is_bound = false;
  /// Set if the peak is unknown: the value whose type or shape is missing.
  const Value* unknown = nullptr;
};

/// Maximum total size of simultaneously live values, in bytes, when the main graph's nodes run in
/// order. A value lives from its definition to its last use; inputs from the start, outputs to the
/// end. Subgraphs and functions count with their own peak while their node runs. Constants and
/// their DequantizeLinear outputs are not counted. The model's shapes must have been inferred.
ActivationMemory peak_activation_memory(const Model& model);

}  // namespace ortool
