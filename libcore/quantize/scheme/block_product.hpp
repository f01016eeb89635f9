// Matrix products with weights in blocks of few bits, as com.microsoft.MatMulNBits.
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
                              LevelStore* store = nullptr)
      : options_(options), cap_(cap), store_(store) {}

  /// Whether the operator can say it: MatMul, and Gemm that neither scales nor turns what it reads,
  /// by a constant matrix of 16 or 32 bits on the right.
  static bool takes(const PlannedNode& planned);

  /// Puts MatMulNBits, and Add where a Gemm adds something, in the place of the node, which takes()
  /// has accepted. Weights that several nodes read are stored once. Throws ErrorCode::invalid for
  /// weights that are not finite.
  void write(const PlannedNode& planned);

  std::int64_t count() const { return static_cast<std::int64_t>(stored_.size()); }

 private:
  struct Stored {
    Value* levels = nullptr;
    Value* scales = nullptr;
    Value* zero_points = nullptr;  ///< null: the middle level
    std::int64_t k = 0;
    std::int64_t n = 0;
  };

  const Stored& store(Value& weights, bool is_turned);

  BlockOptions options_;
  MemoryCap* cap_;
  LevelStore* store_;  ///< null: levels stay in memory
  std::map<std::pair<const Value*, bool>, Stored> stored_;
};

}  // namespace ortool
