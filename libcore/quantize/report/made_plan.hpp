// A quantization plan as it was carried out: nodes, ranges and scales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/quantize/scheme/choose_params.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// A node of the prepared model, by the names of the file.
struct ReportedNode {
  std::string name;
  std::string plan_name;  ///< that no other node has: see names_apart()
  std::string op_type;
  std::vector<std::string> origins;
  std::string value;   ///< that holds its result
  std::string output;  ///< what it makes with its bias, before what else is computed with it
  bool is_quantized = false;
  bool has_weights = false;
  bool has_bias = false;  ///< in the product, or in what is computed with it
  std::string reason;
  QuantizeRole role = QuantizeRole::none;
  bool is_per_channel = false;
  std::optional<DataType> weight_type;  ///< where it is not that of all
  std::vector<std::string> reads;       ///< computed float values
  std::vector<double> bias_shift;       ///< NodeChoice::bias_shift
};

/// What a plan became.
struct MadePlan {
  std::vector<ReportedNode> nodes;
  std::vector<ChosenValue> chosen;
  std::vector<GroupNumbers> numbers;  ///< by ChosenValue::group
};

/// The plan's nodes, told while they are there. `names` are those of names_apart().
std::vector<ReportedNode> describe_plan(const QuantizePlan& plan,
                                        const std::unordered_map<const Node*, std::string>& names);

}  // namespace ortool
