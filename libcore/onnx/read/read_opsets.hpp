// Reader for OperatorSetIdProto: the operator set versions that a model imports, by domain.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// The imports in file order. Throws ErrorCode::invalid, "opset.*", for a version below 1 and for a
/// domain with two versions.
std::vector<DeclaredOpset> read_opsets(LoadContext& context, std::span<const Message> messages);

OpsetImports to_imports(std::span<const DeclaredOpset> declared);

}  // namespace ortool::onnx
