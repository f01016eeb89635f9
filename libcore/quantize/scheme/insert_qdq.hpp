// A plan carried out in the QDQ form: pairs of QuantizeLinear and DequantizeLinear around floats.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"

namespace ortool {

/// What a group of values is stored as.
struct GroupNumbers {
  Scale scale;
  QuantizationType type;
};

/// What makes better weights and biases than the nearest ones.
class PlanRefiner {
 public:
  virtual ~PlanRefiner() = default;
  /// Levels with the scales of `nearest` for the product's weights.
  virtual WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const = 0;
  /// The bias that goes with levels of its weights, of the product itself or of the Add behind it.
  virtual Tensor correct(const PlannedNode& planned, const Tensor& bias,
                         const WeightLevels& levels) const = 0;
};

/// The numbers that go with a plan.
struct PlanNumbers {
  std::vector<GroupNumbers> groups;      ///< by PlannedValue::group
  WeightOptions weights;                 ///< its axis is the plan's
  const PlanRefiner* refiner = nullptr;  ///< null: nearest levels, biases as they are
  MemoryCap* cap = nullptr;
  class LevelStore* store = nullptr;  ///< where large levels wait; null: in memory
};

/// Puts a pair of nodes at each value of the plan, and weights and biases of the nodes that are
/// quantised behind DequantizeLinear: per channel along the plan's axis, biases as int32 by the
/// scales of both operands. A value that a quantised node makes keeps its name behind the pair, and
/// all its readers; one that a float node makes goes through the pair for the quantised readers
/// alone. Weights that several nodes read are quantised once, where they are.
///
/// The model's opset must be at least 13, and 21 for types of 4 and 16 bits. Throws
/// ErrorCode::invalid for weights that are not finite, naming the node.
void insert_qdq(Model& model, const QuantizePlan& plan, const PlanNumbers& numbers);

/// The value inside `graph` for a value of it or of a graph around it.
Value& seen_in(Graph& graph, Value& outer);

/// Takes constants that nothing reads any more out of the model.
void drop_unread_constants(Model& model);

}  // namespace ortool
