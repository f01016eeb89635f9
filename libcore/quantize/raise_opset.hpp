// A model written anew in a later opset, so that it can say what quantising needs.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Raises ONNX's own opset of the model to `wanted` (13 or 21) where it is lower: attributes become
/// inputs, operators change their names and defaults are spelled out where versions differ in them.
/// Types must have been inferred and functions inlined; infer again afterwards. Throws
/// ErrorCode::unsupported naming the node for one whose meaning the later opset cannot express as
/// simply, and for models before opset 7.
void raise_opset(Model& model, std::int64_t wanted);

}  // namespace ortool
