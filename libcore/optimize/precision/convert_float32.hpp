// Computing a model of other floats in float32, between its inputs and its outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Those of float16, bfloat16 and float64 that Conv, ConvTranspose, MatMul and Gemm of the model
/// compute in, in this order.
std::vector<DataType> product_types(const Model& model);

/// Lets everything that is of one of the types be float32, in all graphs: constants, what
/// attributes say, values. Inputs and outputs of the model keep their types; casts stand behind and
/// before them. Finite numbers that float32 cannot hold become its largest. Functions must have
/// been inlined and types inferred; infer them again afterwards. Throws ErrorCode::unsupported
/// where an input or output is of such floats but no tensor, or made by a node with graphs inside.
void convert_to_float32(Model& model, const std::vector<DataType>& types);

}  // namespace ortool
