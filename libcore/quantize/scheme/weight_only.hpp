// Weights in fewer bits in a model that goes on computing in floats.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

struct WeightOnlyOptions {
  WeightOptions weights;  ///< its axis is the plan's
  /// Not 0: matrices have a scale for so many rows of each column, in place of one a column.
  std::int64_t block_size = 0;
  /// Matrix products become com.microsoft.MatMulNBits, of 4 or 8 bits in blocks of `block_size`,
  /// instead.
  bool has_block_products = false;
  bool has_products = true;  ///< false: only what recurrent layers and Gather read
  MemoryCap* cap = nullptr;
  LevelStore* store = nullptr;  ///< null: levels stay in memory
};

/// Whether the node gathers from a constant table of floats that bytes make smaller.
bool is_table_in_floats(const Node& node);

/// Puts the weights of the plan's quantised products behind DequantizeLinear, and those that
/// recurrent layers and Gather read: of a table each row has a scale, and only the rows that are
/// gathered become floats. Tied weights are stored once (share_turned_levels). Scales are of the
/// weights' type; those of float64 weights float32. `refuses` of the plan's rules was asked before.
/// Returns how many tensors became levels. Throws ErrorCode::invalid for weights that are not
/// finite, naming the node.
std::int64_t quantize_weights_only(Model& model, const QuantizePlan& plan,
                                   const WeightOnlyOptions& options);

}  // namespace ortool
