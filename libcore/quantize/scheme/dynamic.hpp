// Dynamic quantization: int8 products whose activations are quantized at run time.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

/// Replaces the plan's quantized MatMul, Gemm and Conv by DynamicQuantizeLinear, MatMulInteger or
/// ConvInteger, and a scaling of the integer sums, with int8 or uint8 weights: Y = Cast(A * B) *
/// (scale(A) * scale(B)). A value with several such consumers is quantized once. A node that cannot
/// be expressed this way stays in float, and `plan` receives the reason. An LSTM becomes
/// com.microsoft's DynamicQuantizeLSTM if the plan takes it (PlanRules::takes_recurrent). Returns
/// the number of nodes replaced. The model's opset must be at least 13. Throws ErrorCode::invalid
/// for weights that are not finite, naming the node. Quantized weights go to `store`, which may be
/// null.
std::int64_t quantize_dynamically(Model& model, QuantizePlan& plan, const WeightOptions& weights,
                                  MemoryCap* cap, QuantizedWeightStore* store = nullptr);

}  // namespace ortool
