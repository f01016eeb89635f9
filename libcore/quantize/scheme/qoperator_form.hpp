// A model in the QDQ form brought into the QOperator form, as far as ONNX has operators for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// What became of the clusters.
struct IntegerForm {
  std::map<std::string, std::int64_t> operators;  ///< QLinearConv and so on, with their number
  /// Clusters between DequantizeLinear and QuantizeLinear that stay: the standard has no operator
  /// on integers for them.
  std::int64_t clusters_left = 0;
};

/// Applies the rules of groups_on_request() and those that move bytes, in all graphs: convolutions
/// and matrix products become QLinearConv, QLinearMatMul and MatMulInteger, what moves elements
/// moves bytes; sums, averages and functions stay between DequantizeLinear and QuantizeLinear.
/// Numbers may differ by one unit. Types are inferred before and after.
IntegerForm use_integer_operators(Model& model, const StopToken* stop);

}  // namespace ortool
