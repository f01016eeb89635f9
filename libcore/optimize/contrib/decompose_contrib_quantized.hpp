// Decomposition of onnxruntime's quantized contrib operators to QDQ form.
#pragma once

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Whether it is one of these com.microsoft operators, with its required inputs.
bool is_contrib_quantized(const Node& node);

/// QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax, QLinearConcat,
/// QLinearGlobalAveragePool with channels first, and QGemm become the float operator between
/// DequantizeLinear and QuantizeLinear, which sessions fuse to int8 again; MatMulIntegerToFloat and
/// DynamicQuantizeMatMul become a MatMulInteger.
Decomposition::Results decompose_quantized(Decomposition& out);

}  // namespace ortool
