// Weight-only quantization: compressed weights in a model that computes in float.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

struct WeightOnlyOptions {
  WeightOptions weights;  ///< its axis is the plan's
  /// Not 0: matrices have one scale per this many rows of each column, instead of one per column.
  std::int64_t block_size = 0;
  /// Matrix products become com.microsoft.MatMulNBits instead, with 4 or 8 bits in blocks of
  /// `block_size`.
  bool has_block_products = false;
  bool has_products = true;  ///< false: only weights of recurrent layers and Gather
  MemoryCap* cap = nullptr;
  QuantizedWeightStore* store = nullptr;  ///< null: quantized weights stay in memory
};

/// Whether the node gathers from a constant float table that is worth compressing to int8.
bool is_table_in_floats(const Node& node);

/// Stores the weights of the plan's quantized products, and those of recurrent layers and Gather,
/// as integers with DequantizeLinear: tables have one scale per row, and only gathered rows are
/// dequantized. Tied weights are stored once (share_transposed_weights). Scales have the weights'
/// type; those of float64 weights are float32. The plan's rules have been asked for refusals
/// before. Returns the number of tensors quantized. Throws ErrorCode::invalid for weights that are
/// not finite, naming the node.
std::int64_t quantize_weights_only(Model& model, const QuantizePlan& plan,
                                   const WeightOnlyOptions& options);

}  // namespace ortool
