// What of a model is quantised: tensors with their scales, and where it falls back to floats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A tensor of small integers with the operands that say what real numbers it stands for.
struct QuantizedTensor {
  enum class Role { weight, activation };

  const Value* value = nullptr;  ///< the integers
  const Node* node = nullptr;    ///< that reads or writes it with this scale
  Role role = Role::activation;
  DataType type = DataType::undefined;
  const Tensor* scale = nullptr;       ///< null: computed while the model runs
  const Tensor* zero_point = nullptr;  ///< null: zero, or computed
  bool has_zero_point = false;
  std::int64_t axis = -1;       ///< of a scale with several elements; -1: one scale for all
  std::int64_t block_size = 0;  ///< 0: not in blocks

  /// How many scales there are; 0 when they are computed.
  std::int64_t scale_count() const { return scale != nullptr ? scale->element_count() : 0; }
};

/// A quantising or dequantising node that finds no partner, and why.
struct LonelyNode {
  const Node* node = nullptr;
  std::string reason;
};

/// Nodes that compute in floats between nodes that compute with quantised values.
struct FloatIsland {
  std::vector<const Node*> nodes;  ///< in order, at least one
  std::string reason;              ///< why the first does
};

struct QuantizationReadout {
  std::vector<QuantizedTensor> tensors;  ///< each tensor once for each scale, in order
  std::int64_t pairs = 0;                ///< QuantizeLinear whose output a DequantizeLinear reads
  std::int64_t quantized_nodes = 0;      ///< that compute with quantised operands and result
  std::int64_t float_nodes = 0;          ///< that compute with floats
  std::vector<LonelyNode> lonely;
  std::vector<FloatIsland> islands;

  bool is_empty() const { return tensors.empty() && quantized_nodes == 0; }
};

/// Whether a node of the model, in whatever graph, makes small integers of floats or computes with
/// quantised operands. Needs no types.
bool is_quantized(const Model& model);

/// Of all graphs of the model, each on its own. A node of the QDQ form counts as quantised when
/// every float it reads comes from DequantizeLinear, and QuantizeLinear reads every float it makes,
/// an activation in between aside: what a runtime can compute with integers. Nodes on shapes and
/// other integers count in neither way. The model's types must have been inferred; it outlives the
/// read-out.
QuantizationReadout read_quantization(const Model& model);

}  // namespace ortool
