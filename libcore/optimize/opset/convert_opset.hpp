// Writing a model for another version of ONNX's operators.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Turns every node of ONNX's own domain, in all graphs, into the form it has in opset `target`,
/// higher or lower than the model's, and changes the import; the IR version rises to the one that
/// was released with that opset. Nodes whose form stays are not touched; some become two or three.
/// Types must have been inferred, and functions inlined; new values have no types before they are
/// inferred again. Throws ErrorCode::unsupported with one part for each node that has no such form
/// there, the reason in it; the model is of no use then.
void convert_opset(Model& model, std::int64_t target);

/// The IR version that was released with an opset: https://onnx.ai/onnx/intro/concepts.html
std::int64_t ir_version_of_opset(std::int64_t opset);

}  // namespace ortool
