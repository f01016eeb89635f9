// Decompositions of ortool's own operators into ONNX's, for files that other programs read.
#pragma once

#include <span>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Activations and normalizations in arithmetic that any opset has.
std::span<const DecompositionRow> decomposed_functions();

/// SkipLayerNormalization and EmbedLayerNormalization as the operators that they were fused from.
std::span<const DecompositionRow> unfused_normalizations();

/// Attention of com.microsoft, and what it is decomposed to, as ONNX's Attention.
std::span<const DecompositionRow> plain_attention();

/// Operators of com.microsoft that sessions compute by kernels of their own, for other runtimes: in
/// ONNX's operators of the file's opset, except for weights in blocks (21).
std::span<const DecompositionRow> plain_experts();
std::span<const DecompositionRow> plain_gathers();
std::span<const DecompositionRow> plain_group_attention();
std::span<const DecompositionRow> plain_linear_attention();
std::span<const DecompositionRow> plain_recurrent_layers();
std::span<const DecompositionRow> plain_rotary_embeddings();
std::span<const DecompositionRow> plain_weight_products();

/// Attention of packed projections as com.microsoft's MultiHeadAttention.
std::span<const DecompositionRow> packed_attention();

/// ortool's Attention with a row of the mask for each query, as ONNX Runtime requires it.
std::span<const DecompositionRow> attention_with_mask_rows();

/// The fused operators of com.microsoft, which ONNX Runtime computes faster than the nodes that
/// they stand for.
std::span<const DecompositionRow> onnxruntime_forms();

}  // namespace ortool
