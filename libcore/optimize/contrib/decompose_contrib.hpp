// Decomposition of com.microsoft's contrib operators, which onnxruntime writes into optimized
// models, to ONNX operators:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// In all graphs, replaces FusedConv, FusedGemm, FusedMatMul, Gelu, FastGelu, BiasGelu, QuickGelu,
/// SkipLayerNormalization, SkipSimplifiedLayerNormalization and those of
/// decompose_contrib_quantized.hpp by ONNX operators, or by ortool's own of the same names where
/// the opset lacks them; likewise SimplifiedLayerNormalization and, before opset 17,
/// LayerNormalization, which are in ONNX's domain there. New nodes are named after the old one.
/// Left unchanged are nodes with outputs or attributes that have no such form (means and deviations
/// of a normalization, transposed batch axes), and all other operators.
void decompose_contrib_operators(Model& model);

}  // namespace ortool
