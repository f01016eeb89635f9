// Which nodes of a model compute with quantised values, and which values those are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/scheme/roles.hpp"

namespace ortool {

/// One node that computes with floats in the model, and what becomes of it.
struct PlannedNode {
  Node* node = nullptr;
  QuantizeRole role = QuantizeRole::none;
  bool is_quantized = false;
  std::string reason;  ///< why it is not; empty for one that is
  /// The node whose first output is the node's result: itself, or what follows it and is computed
  /// with it (a bias added to a matrix product, then Relu or Clip).
  Node* end = nullptr;
  std::int64_t weight_input = -1;           ///< of a product: the input with constant weights
  std::optional<std::int64_t> weight_axis;  ///< along which weights have scales of their own
  std::optional<DataType> weight_type;      ///< nothing: that of all weights
};

/// A float value that is quantised. Values of one group have one scale and zero point.
struct PlannedValue {
  Value* value = nullptr;
  std::int64_t group = 0;
  bool is_weight = false;  ///< a constant that is added or multiplied like an activation
};

struct QuantizePlan {
  std::vector<PlannedNode> nodes;    ///< of all graphs, in order
  std::vector<PlannedValue> values;  ///< in the order of what makes them
  std::int64_t group_count = 0;
};

/// What the user wants of a plan.
struct PlanRules {
  bool is_per_channel = true;
  bool takes_all_floats = false;  ///< float16, bfloat16 and float64 too, for weights alone
  /// LSTMs are products whose inputs and states are quantised while the model runs.
  bool takes_recurrent = false;
  /// Why the node has to stay as it is; empty: it need not. May be null.
  std::function<std::string(const Node&)> refusal;
  /// Whether the node is to be quantised even where ortool would not of its own accord. May be
  /// null.
  std::function<bool(const Node&)> is_wanted;
  /// The node's own way of storing weights, where it has one. May be null.
  std::function<std::optional<bool>(const Node&)> is_node_per_channel;
  std::function<std::optional<DataType>(const Node&)> weight_type;
};

/// Plans every graph of the model. Types must have been inferred and functions inlined; the plan
/// points into the model.
///
/// Products with constant weights are quantised. What lies between them is, when what it reads
/// comes from quantised nodes and what it makes goes to some. A product's result stays a float
/// where no quantised node reads it; that of a convolution only where it is little work and leads
/// to the model's outputs alone. A convolution of the model's input stays a float where it is at
/// most a fiftieth of the work, unless wanted: what is rounded there is off in all that follows.
/// Products of two computed values stay floats unless wanted.
QuantizePlan make_plan(Model& model, const PlanRules& rules);

}  // namespace ortool
