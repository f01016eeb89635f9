// Gradient: derivatives of one value of the graph with respect to others.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Gradient.html
#pragma once

#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The attributes, not the inputs, name values of the graph: the subgraph from `xs` and `zs` to `y`
/// is the function, and the inputs are the point at which its derivative is evaluated. Code that
/// renames or removes values must take these names into account.
struct Gradient {
  static const OpSchema schema;

  std::vector<std::string> xs;  ///< differentiates `y` with respect to these; the first inputs
  std::vector<std::string> zs;  ///< other values that `y` depends on; the inputs after those
  std::string y;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
