// Dynamic quantization of LSTM: inputs and states are quantized at run time.
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
  /// Quantized weights go to `store`, which may be null.
  DynamicLstmWriter(const WeightOptions& weights, MemoryCap* cap, QuantizedWeightStore* store)
      : weights_(weights), cap_(cap), store_(store) {}

  /// Replaces the LSTM, whose weights are constants, by com.microsoft.DynamicQuantizeLSTM; with a
  /// weight axis there is one scale per column of each direction. Weights with several consumers
  /// are stored once. Returns nothing, or the reason why the node stays in float. Throws
  /// ErrorCode::invalid for weights that are not finite.
  std::string write(const PlannedNode& planned);

 private:
  /// W or R: transposed int8 weights with a scale and zero point per direction, or per column of
  /// it.
  struct Stored {
    Value* codes = nullptr;
    Value* scales = nullptr;
    Value* zero_points = nullptr;
  };

  const Stored& store(Value& weights, bool by_column);

  const WeightOptions& weights_;
  MemoryCap* cap_;
  QuantizedWeightStore* store_;
  std::map<std::pair<const Value*, bool>, Stored> stored_;
};

}  // namespace ortool
