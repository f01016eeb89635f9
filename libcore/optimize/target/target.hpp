// Optimization targets: the runtime that a written file is for, and the operators that it has.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

enum class Target {
  any,          ///< the file's own operators, and ONNX's of its opset
  onnx,         ///< ONNX's operators only
  onnxruntime,  ///< ONNX's and com.microsoft's
  ortool,       ///< ortool's own as well, and those of newer opsets
};

/// Replaces the operators of com.microsoft and of ortool's own domain by ONNX's, in all graphs. The
/// model is converted to a newer opset where an operator exists only there. Types must have been
/// inferred, and functions inlined; new values have no types. Returns the number of replaced nodes.
/// Throws ErrorCode::unsupported, "optimize.target", with a part for each node that ONNX has no
/// form for.
std::int64_t write_for_onnx(Model& model);

/// Replaces the operators of ortool's own domain by fused ones of com.microsoft, or by ONNX's as
/// write_for_onnx() does.
std::int64_t write_for_onnxruntime(Model& model);

}  // namespace ortool
