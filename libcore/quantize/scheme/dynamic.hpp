// Products in int8 whose activations are quantised while the model runs.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/quantize/scheme/weight_store.hpp"

namespace ortool {

/// Replaces the plan's quantised MatMul, Gemm and Conv by DynamicQuantizeLinear, MatMulInteger or
/// ConvInteger and a scaling of the sums, with weights of int8 or uint8: Y = Cast(A * B) *
/// (scale(A) * scale(B)). A value that several of them read is quantised once. What cannot be
/// written so keeps its floats: `plan` is told why. An LSTM becomes com.microsoft's
/// DynamicQuantizeLSTM, where plans take it (PlanRules::takes_recurrent). Returns how many nodes
/// were replaced. The model's opset must be at least 13. Throws ErrorCode::invalid for weights that
/// are not finite, naming the node. Levels go to `store`, which may be null.
std::int64_t quantize_dynamically(Model& model, QuantizePlan& plan, const WeightOptions& weights,
                                  MemoryCap* cap, LevelStore* store = nullptr);

}  // namespace ortool
