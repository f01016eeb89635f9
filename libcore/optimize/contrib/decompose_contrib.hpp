// Fused operators of com.microsoft, as onnxruntime writes them into files that it optimised,
// spelled out in ONNX's own:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// In all graphs of the model FusedConv, FusedGemm, FusedMatMul, Gelu, FastGelu, BiasGelu,
/// QuickGelu, SkipLayerNormalization, SkipSimplifiedLayerNormalization and those of
/// vendor_quantized.hpp become nodes of ONNX's operators, or of ortool's own of the same names
/// where the opset lacks them; so do SimplifiedLayerNormalization and, before opset 17,
/// LayerNormalization, which stand in ONNX's domain there. New nodes are called after the old one.
/// Left as they are: nodes with outputs or attributes that have no such form (means and deviations
/// of a normalisation, batches that are transposed), and all operators but these.
void decompose_contrib_operators(Model& model);

}  // namespace ortool
