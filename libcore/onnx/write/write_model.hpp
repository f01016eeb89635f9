// Writer for ModelProto.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// Writes all fields of a ModelProto.
void write_model(WriteContext& context, const Model& model);

}  // namespace ortool::onnx
