// Conversion of other float types to float32, with the model's inputs and outputs unchanged.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// The types among float16, bfloat16 and float64, in this order, in which any Conv, ConvTranspose,
/// MatMul or Gemm of the model computes.
std::vector<DataType> product_types(const Model& model);

/// Changes everything of the given types to float32, in all graphs: constants, attributes, values.
/// Inputs and outputs of the model keep their types through casts. Finite values out of float32's
/// range saturate. Functions must have been inlined and types inferred; infer them again afterward.
/// Throws ErrorCode::unsupported when an input or output has such elements but is not a tensor, or
/// is produced by a node with subgraphs.
void convert_to_float32(Model& model, const std::vector<DataType>& types);

}  // namespace ortool
