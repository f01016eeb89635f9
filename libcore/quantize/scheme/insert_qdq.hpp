// QDQ writer: inserts QuantizeLinear and DequantizeLinear pairs according to a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"

namespace ortool {

/// The quantization parameters of a group of values.
struct GroupParams {
  Scale scale;
  QuantizationType type;
};

/// Improves weights and biases beyond rounding to nearest.
class PlanRefiner {
 public:
  virtual ~PlanRefiner() = default;
  /// Quantized weights of the product, with the scales of `nearest`.
  virtual QuantizedData round(const PlannedNode& planned, QuantizedData nearest) const = 0;
  /// The bias that suits these quantized weights: that of the product itself or of the Add after
  /// it.
  virtual Tensor correct(const PlannedNode& planned, const Tensor& bias,
                         const QuantizedData& codes) const = 0;
};

/// The quantization parameters of a plan.
struct PlanParams {
  std::vector<GroupParams> groups;       ///< by PlannedValue::group
  WeightOptions weights;                 ///< its axis is the plan's
  const PlanRefiner* refiner = nullptr;  ///< null: nearest rounding, unchanged biases
  MemoryCap* cap = nullptr;
  class QuantizedWeightStore* store = nullptr;  ///< spills large tensors; null: memory
};

/// Inserts a QuantizeLinear and DequantizeLinear pair at each value of the plan, and stores weights
/// and biases of quantized nodes as integers with DequantizeLinear: weights per channel along the
/// plan's axis, biases as int32 with the product of both operands' scales. A value produced by a
/// quantized node keeps its name after the pair, and all its consumers; one produced by a float
/// node goes through the pair for quantized consumers only. Weights with several consumers are
/// quantized once, in the graph that holds them.
///
/// The model's opset must be at least 13, and 21 for types of 4 and 16 bits. Throws
/// ErrorCode::invalid for weights that are not finite, naming the node.
void insert_qdq(Model& model, const QuantizePlan& plan, const PlanParams& params);

/// The value inside `graph` that stands for a value of it or of an enclosing graph.
Value& seen_in(Graph& graph, Value& outer);

/// Removes constants without consumers from the model.
void drop_unread_constants(Model& model);

}  // namespace ortool
