// What somebody decided about single nodes and values, in place of what a plan would do by itself.
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

enum class WeightFit {
  nearest,  ///< not at all
  quick,    ///< see RoundingEffort
  thorough
};

struct NodeChoice {
  bool is_quantized = true;  ///< also where it would not be by itself
  std::string reason;        ///< of one that is not
  std::optional<DataType> weight_type;
  std::optional<bool> is_per_channel;
  std::vector<double>
      bias_shift;  ///< what its bias is made less by, a number an output; may be empty
};

struct ValueChoice {
  std::optional<DataType> type;
  /// Its scale, whatever data say; else `method` chooses.
  std::optional<Scale> scale;
  std::optional<CalibrationMethod> method;
};

struct PlanChoices {
  std::map<std::string, NodeChoice, std::less<>> nodes;    ///< by names_apart()
  std::map<std::string, ValueChoice, std::less<>> values;  ///< by name
  /// How weights and biases follow what layers read, where there are data and the recipe says so.
  WeightFit weight_fit = WeightFit::quick;
  /// Factors of the channels that are scaled together, by BalanceGroup::name.
  std::map<std::string, std::vector<double>, std::less<>> balance;
  /// Whether weights are stored in few bits too that are read by what computes in floats.
  bool stores_rest = true;
};

/// A name for each node of all graphs that no other node has: its own, or, where nodes before it
/// have the same, that with "#2", "#3" and so on. Copies of a model give the same names.
std::unordered_map<const Node*, std::string> names_apart(const Model& model);

}  // namespace ortool
