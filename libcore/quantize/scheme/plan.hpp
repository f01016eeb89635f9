// Quantization plan: which nodes compute with quantized values, and which values those are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/scheme/quantize_role.hpp"

namespace ortool {

/// A node that computes in float in the model, and how it is to be quantized.
struct PlannedNode {
  Node* node = nullptr;
  QuantizeRole role = QuantizeRole::none;
  bool is_quantized = false;
  std::string reason;  ///< why it is not; empty when quantized
  /// The node that produces the result: the node itself, or the last one fused with it (a bias
  /// added to a matrix product, then Relu or Clip).
  Node* end = nullptr;
  std::int64_t weight_input = -1;           ///< of a product: the input with constant weights
  std::optional<std::int64_t> weight_axis;  ///< the axis of per-channel weight scales
  std::optional<DataType> weight_type;      ///< nothing: the default for weights
};

/// A float value to quantize. Values of one group share scale and zero point.
struct PlannedValue {
  Value* value = nullptr;
  std::int64_t group = 0;
  bool is_weight = false;  ///< a constant that is added or multiplied like an activation
};

struct QuantizePlan {
  std::vector<PlannedNode> nodes;    ///< of all graphs, in order
  std::vector<PlannedValue> values;  ///< in the order of their producers
  std::int64_t group_count = 0;
};

/// The user's requirements for a plan.
struct PlanRules {
  bool is_per_channel = true;
  bool takes_all_floats = false;  ///< float16, bfloat16 and float64 too, for weight-only
  /// Treats LSTMs as products whose inputs and states are quantized at run time.
  bool takes_recurrent = false;
  /// Why the node must stay as it is; empty: it may be quantized. May be null.
  std::function<std::string(const Node&)> refusal;
  /// Whether to quantize the node even where the planner would not by itself. May be null.
  std::function<bool(const Node&)> is_wanted;
  /// Whether the node's weights are per channel, where it overrides the default. May be null.
  std::function<std::optional<bool>(const Node&)> is_node_per_channel;
  std::function<std::optional<DataType>(const Node&)> weight_type;
};

/// Plans every graph of the model. Types must have been inferred and functions inlined; the plan
/// points into the model.
///
/// Products with constant weights are quantized. Other nodes are quantized when their inputs come
/// from quantized nodes and their results go to some. A product's result stays in float when it has
/// no quantized consumer; that of a convolution only when it does little of the work and leads to
/// the model's outputs alone. A convolution of the model's input stays in float when it does at
/// most a fiftieth of the work, unless wanted: its rounding error affects everything after it.
/// Products of two computed values stay in float unless wanted.
QuantizePlan make_plan(Model& model, const PlanRules& rules);

}  // namespace ortool
