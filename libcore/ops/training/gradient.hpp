// Gradient: derivatives of a value of the graph by other values of it.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Gradient.html
#pragma once

#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Names values of the graph in its attributes, not by its inputs: the part of the graph from `xs`
/// and `zs` to `y` is the function, the inputs are where its derivative is taken. Whoever renames
/// or removes values must look at them.
struct Gradient {
  static const OpSchema schema;

  std::vector<std::string> xs;  ///< by which `y` is derived; their values are the first inputs
  std::vector<std::string> zs;  ///< what else `y` depends on; the inputs after those
  std::string y;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
