// QOperator form: converts QDQ clusters to ONNX's integer operators, as far as these exist.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// The result of the conversion.
struct QOperatorSummary {
  std::map<std::string, std::int64_t> operators;  ///< QLinearConv and so on, with their number
  /// Clusters that remain between DequantizeLinear and QuantizeLinear, since the standard has no
  /// integer operator for them.
  std::int64_t clusters_left = 0;
};

/// Applies the rules of groups_on_request() and those that move int8 data, in all graphs:
/// convolutions and matrix products become QLinearConv, QLinearMatMul and MatMulInteger, and data
/// movement operates on int8; sums, averages and functions stay between DequantizeLinear and
/// QuantizeLinear. Values may differ by one quantization step. Types are inferred before and after.
QOperatorSummary use_integer_operators(Model& model, const StopToken* stop);

}  // namespace ortool
