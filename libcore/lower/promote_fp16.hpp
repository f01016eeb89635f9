// Promotion of float16 regions to float32, with casts at their boundaries only.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"

namespace ortool {

/// Values whose type in a session's graph differs from the model's.
struct PromotedValues {
  /// float32 in the graph, float16 in the model.
  std::unordered_set<const Value*> float16_in_model;
  /// Not present in the model.
  std::unordered_set<const Value*> added;
};

/// Promotes nodes of `graph` to float32 where two or more that exchange float16 values would each
/// convert them to float32 and back: their values and constants become float32, with Cast nodes at
/// the boundary. Values visible from outside (graph inputs and outputs, captured values) keep their
/// types. Adds the changes to `promoted`. Types must have been inferred. float32 constants count
/// against `cap`.
void promote_fp16(Graph& graph, MemoryCap* cap, PromotedValues& promoted);

}  // namespace ortool
