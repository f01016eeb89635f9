// Decomposition of com.microsoft's contrib operators, which onnxruntime writes into optimized
// models, to ONNX operators:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <span>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// In all graphs, replaces the nodes that a row serves; rows are sorted by domain, then name. New
/// nodes are named after the old one; their values have no types yet. Returns the number of
/// replaced nodes.
std::int64_t decompose(Model& model, std::span<const DecompositionRow> rows);

/// In all graphs, replaces the operators of the decomposition tables (decomposition.hpp) by ONNX
/// operators, or by ortool's own of the same names where the opset lacks them. Types and shapes
/// should have been inferred: some forms depend on ranks. New nodes are named after the old one;
/// their values have no types yet. Left unchanged are nodes without such a form, and all other
/// operators. Returns the number of replaced nodes.
std::int64_t decompose_contrib_operators(Model& model);

/// The same for operators that contain products by weights, without a cache.
std::int64_t decompose_products(Model& model);

}  // namespace ortool
