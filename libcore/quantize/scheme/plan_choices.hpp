// User choices for single nodes and values that override a plan's defaults.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

enum class WeightRangeChoice {
  nearest,  ///< no fitting
  quick,    ///< see RoundingEffort
  thorough
};

struct NodeChoice {
  bool is_quantized = true;  ///< even where it would not be by default
  std::string reason;        ///< why it is not
  std::optional<DataType> weight_type;
  std::optional<bool> is_per_channel;
  std::vector<double> bias_shift;  ///< subtracted from its bias, per output; may be empty
};

struct ValueChoice {
  std::optional<DataType> type;
  /// A fixed scale, whatever the data; otherwise `method` derives it.
  std::optional<Scale> scale;
  std::optional<CalibrationMethod> method;
};

struct PlanChoices {
  std::map<std::string, NodeChoice, std::less<>> nodes;    ///< by names_apart()
  std::map<std::string, ValueChoice, std::less<>> values;  ///< by name
  /// How weights and biases are fitted to layer inputs, given data and a recipe that asks for it.
  WeightRangeChoice weight_fit = WeightRangeChoice::quick;
  /// Balancing factors of channel groups, by BalanceGroup::name.
  std::map<std::string, std::vector<double>, std::less<>> balance;
  /// Whether weights of operators that compute in float are compressed too.
  bool stores_rest = true;
};

/// A unique name for each node of all graphs: its own, or, where earlier nodes have the same, the
/// name with "#2", "#3" and so on. Copies of a model give the same names.
std::unordered_map<const Node*, std::string> names_apart(const Model& model);

}  // namespace ortool
