// The memory that values take while a graph runs.
#pragma once

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

struct ActivationMemory {
  Cost bytes;
  /// The formula stands for no less than the peak, and may stand for more.
  bool is_bound = false;
  /// Set when the peak cannot be told: the value whose type or shape is missing.
  const Value* unknown = nullptr;
};

/// Bytes of all values that live at once while the nodes of the main graph run in order, at most:
/// each from its making to its last use, inputs from the start, outputs to the end. What subgraphs
/// and functions make inside counts at its own peak while their node runs. Constants and what
/// DequantizeLinear makes of them count nothing. The model's shapes must have been inferred.
ActivationMemory peak_activation_memory(const Model& model);

}  // namespace ortool
