// What somebody decided about single nodes and values, in place of what a plan would do by itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/choose_scale.hpp"
#include "libcore/quantize/methods.hpp"

namespace ortool {

struct NodeChoice {
  bool is_quantized = true;  ///< also where it would not be by itself
  std::string reason;        ///< of one that is not
  std::optional<DataType> weight_type;
  std::optional<bool> is_per_channel;
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
  /// Whether recipes that fit weights and biases to what layers read do so; else all are nearest.
  bool fits_weights = true;
  /// Whether weights are stored in few bits too that are read by what computes in floats.
  bool stores_rest = true;
};

/// A name for each node of all graphs that no other node has: its own, or, where nodes before it
/// have the same, that with "#2", "#3" and so on. Copies of a model give the same names.
std::unordered_map<const Node*, std::string> names_apart(const Model& model);

}  // namespace ortool
