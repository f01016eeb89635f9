// Promotion of float16 and bfloat16 regions to float32, with casts at their boundaries only.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"

namespace ortool {

/// Values whose type in a session's graph differs from the model's.
struct PromotedValues {
  /// float32 in the graph, and what they are in the model: float16 or bfloat16.
  std::unordered_map<const Value*, DataType> types_in_model;
  /// Not present in the model.
  std::unordered_set<const Value*> added;
};

/// Promotes nodes of `graph` to float32 where two or more that exchange values in 16 bits would
/// each convert them to float32 and back: their values and constants become float32, with Cast
/// nodes at the boundary. Values visible from outside (graph inputs and outputs, captured values)
/// keep their types. Adds the changes to `promoted`. Types must have been inferred. float32
/// constants count against `cap`.
void promote_fp16(Graph& graph, MemoryCap* cap, PromotedValues& promoted);

}  // namespace ortool
