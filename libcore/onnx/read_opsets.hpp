// OperatorSetIdProto: which version of which domain's operators a model uses.
#pragma once

#include <span>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/load_context.hpp"

namespace ortool::onnx {

/// Throws ErrorCode::invalid, "opset.*", for a version below 1 and for a domain with two versions.
OpsetImports read_opsets(LoadContext& context, std::span<const Message> messages);

}  // namespace ortool::onnx
