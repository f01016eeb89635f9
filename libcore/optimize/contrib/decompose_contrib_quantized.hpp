// onnxruntime's operators on bytes, as floats between DequantizeLinear and QuantizeLinear.
#pragma once

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Whether it is one of these operators of com.microsoft, with the inputs that it needs.
bool is_vendor_quantized(const Node& node);

/// QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax, QLinearConcat,
/// QLinearGlobalAveragePool with channels first, and QGemm become that operator on floats, which
/// sessions compute on bytes again; MatMulIntegerToFloat and DynamicQuantizeMatMul a MatMulInteger.
Decomposition::Results spell_out_quantized(Decomposition& out);

}  // namespace ortool
