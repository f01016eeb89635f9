// Opset conversion: rewrites a model for another version of ONNX's operators.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Converts every node of ONNX's own domain, in all graphs, to its form in opset `target`, higher
/// or lower than the model's, and updates the opset import; the IR version is raised to the one
/// released with that opset. Nodes whose form does not change are not touched; some become two or
/// three. Types must have been inferred, and functions inlined; new values have no types until they
/// are inferred again. Throws ErrorCode::unsupported with one part per node that has no form in the
/// target opset, including the reason; the model is then unusable.
void convert_opset(Model& model, std::int64_t target);

/// The IR version released with an opset: https://onnx.ai/onnx/intro/concepts.html
std::int64_t ir_version_of_opset(std::int64_t opset);

}  // namespace ortool
