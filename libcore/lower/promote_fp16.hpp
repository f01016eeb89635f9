// Stretches of float16 nodes computed in float32, with conversions at their ends alone.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/runtime/session.hpp"

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
/// what bodies capture) keep their types. Adds what it changed to `widened`. Types must have been
/// inferred. Constants in float32 are counted against `cap`.
void promote_fp16(Graph& graph, MemoryCap* cap, PromotedValues& widened);

/// Shows `observer` the values as the model has them.
class ModelTypesObserver : public ValueObserver {
 public:
  ModelTypesObserver(const PromotedValues& widened, ValueObserver& observer)
      : widened_(widened), observer_(observer) {}
  void observe(const Node& node, std::int64_t index, const RunValue& value) override;

 private:
  const PromotedValues& widened_;
  ValueObserver& observer_;
};

}  // namespace ortool
