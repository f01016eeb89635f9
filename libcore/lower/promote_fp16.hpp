// Stretches of float16 nodes computed in float32, with conversions at their ends alone.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

/// What a session's graph holds in another form than the model says.
struct PromotedValues {
  /// float32 in the graph, float16 in the model.
  std::unordered_set<const Value*> float16_in_model;
  /// The model does not have them.
  std::unordered_set<const Value*> added;
};

/// Lets nodes of `graph` compute in float32 where two or more that hand each other float16 values
/// would each convert them to float32 and back: their values and constants become float32, and
/// nodes Cast convert what enters and leaves. Values that others see (graph inputs and outputs,
/// what bodies capture) keep their types. Adds what it changed to `promoted`. Types must have been
/// inferred. Constants in float32 are counted against `cap`.
void promote_fp16(Graph& graph, MemoryCap* cap, PromotedValues& promoted);

}  // namespace ortool
