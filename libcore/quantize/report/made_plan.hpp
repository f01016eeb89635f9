// Executed quantization plan, as reported: nodes, ranges and scales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/quantize/scheme/group_params.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// A node of the prepared model, described by the names of the file.
struct ReportedNode {
  std::string name;
  std::string plan_name;  ///< unique, see names_apart()
  std::string op_type;
  std::vector<std::string> origins;
  std::string value;   ///< that holds its result
  std::string output;  ///< its output including the bias, before the fused nodes
  bool is_quantized = false;
  bool has_weights = false;
  bool has_bias = false;  ///< in the product or in a fused Add
  std::string reason;
  QuantizeRole role = QuantizeRole::none;
  bool is_per_channel = false;
  std::optional<DataType> weight_type;  ///< when it differs from the default
  std::vector<std::string> reads;       ///< computed float values
  std::vector<double> bias_shift;       ///< NodeChoice::bias_shift
};

/// A plan after its execution.
struct MadePlan {
  std::vector<ReportedNode> nodes;
  std::vector<ChosenValue> chosen;
  std::vector<GroupParams> params;  ///< by ChosenValue::group
  /// Weight tensors stored as integers for operators that compute in float.
  std::int64_t stored_rest = 0;
};

/// Describes the plan's nodes, before they are rewritten. `names` are those of names_apart().
std::vector<ReportedNode> describe_plan(const QuantizePlan& plan,
                                        const std::unordered_map<const Node*, std::string>& names);

}  // namespace ortool
