// Quantization report of a model: quantized tensors with their scales, and float fallbacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A quantized tensor with the operands that define the real numbers it represents.
struct QuantizedTensor {
  enum class Role { weight, activation };

  const Value* value = nullptr;  ///< the quantized integers
  const Node* node = nullptr;    ///< the node that reads or writes it with this scale
  Role role = Role::activation;
  DataType type = DataType::undefined;
  const Tensor* scale = nullptr;       ///< null: computed at run time
  const Tensor* zero_point = nullptr;  ///< null: zero, or computed at run time
  bool has_zero_point = false;
  std::int64_t axis = -1;       ///< for a scale with several elements; -1: per tensor
  std::int64_t block_size = 0;  ///< 0: not blocked

  /// The number of scales; 0 if they are computed at run time.
  std::int64_t scale_count() const { return scale != nullptr ? scale->element_count() : 0; }
};

/// A quantizing or dequantizing node without a counterpart, and the reason.
struct UnpairedNode {
  const Node* node = nullptr;
  std::string reason;
};

/// A connected group of float nodes between quantized nodes.
struct FloatSubgraph {
  std::vector<const Node*> nodes;  ///< in order, at least one
  std::string reason;              ///< why the first one computes in float
};

struct QuantizationReadout {
  std::vector<QuantizedTensor> tensors;  ///< each tensor once for each scale, in order
  std::int64_t pairs = 0;                ///< QuantizeLinear whose output a DequantizeLinear reads
  std::int64_t quantized_nodes = 0;      ///< compute with quantized operands and result
  std::int64_t float_nodes = 0;          ///< compute in floating point
  std::vector<UnpairedNode> unpaired;
  std::vector<FloatSubgraph> float_subgraphs;

  bool is_empty() const { return tensors.empty() && quantized_nodes == 0; }
};

/// Whether any node in any graph of the model quantizes floats to small integers or computes with
/// quantized operands. Needs no types.
bool is_quantized(const Model& model);

/// Analyzes each graph of the model separately. A node in QDQ form counts as quantized if all of
/// its float inputs come from DequantizeLinear and all of its float outputs go to QuantizeLinear,
/// possibly through an activation: such a node can be computed with integers. Nodes on shapes and
/// other integers are not counted. The model's types must have been inferred, and the model must
/// outlive the result.
QuantizationReadout read_quantization(const Model& model);

}  // namespace ortool
