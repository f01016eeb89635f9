// Block-quantized matrix products (com.microsoft.MatMulNBits).
#pragma once

#include <map>
#include <utility>

#include "libcore/quantize/scheme/block_weights.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

class BlockProductWriter {
 public:
  explicit BlockProductWriter(const BlockOptions& options, MemoryCap* cap = nullptr,
                              QuantizedWeightStore* store = nullptr)
      : options_(options), cap_(cap), store_(store) {}

  /// Whether the operator applies: MatMul, and Gemm that neither scales nor transposes its inputs,
  /// by a constant matrix of 16 or 32 bits on the right.
  static bool takes(const PlannedNode& planned);

  /// Replaces the node, which takes() has accepted, by MatMulNBits, followed by Add where a Gemm
  /// has a third input. Weights with several consumers are stored once. Throws ErrorCode::invalid
  /// for weights that are not finite.
  void write(const PlannedNode& planned);

  std::int64_t count() const { return static_cast<std::int64_t>(stored_.size()); }

 private:
  struct Stored {
    Value* codes = nullptr;
    Value* scales = nullptr;
    Value* zero_points = nullptr;  ///< null: the middle value
    std::int64_t k = 0;
    std::int64_t n = 0;
  };

  const Stored& store(Value& weights, bool is_transposed);

  BlockOptions options_;
  MemoryCap* cap_;
  QuantizedWeightStore* store_;  ///< null: quantized weights stay in memory
  std::map<std::pair<const Value*, bool>, Stored> stored_;
};

}  // namespace ortool
