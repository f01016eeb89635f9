// ModelProto, written.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// All fields of a ModelProto.
void write_model(WriteContext& context, const Model& model);

}  // namespace ortool::onnx
