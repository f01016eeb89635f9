// LSTMs in int8 whose inputs and states are quantised while the model runs.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

class DynamicLstmWriter {
 public:
  /// Levels go to `store`, which may be null.
  DynamicLstmWriter(const WeightOptions& weights, MemoryCap* cap, LevelStore* store)
      : weights_(weights), cap_(cap), store_(store) {}

  /// Puts com.microsoft.DynamicQuantizeLSTM in the place of the LSTM, whose weights are constants;
  /// with a weight axis each column of a direction has a scale. Weights that several nodes read are
  /// stored once. Returns nothing, or why the node keeps its floats. Throws ErrorCode::invalid for
  /// weights that are not finite.
  std::string write(const PlannedNode& planned);

 private:
  /// W or R: turned levels with a scale and zero point a direction, or a column of it.
  struct Stored {
    Value* levels = nullptr;
    Value* scales = nullptr;
    Value* zero_points = nullptr;
  };

  const Stored& store(Value& weights, bool by_column);

  const WeightOptions& weights_;
  MemoryCap* cap_;
  LevelStore* store_;
  std::map<std::pair<const Value*, bool>, Stored> stored_;
};

}  // namespace ortool
