// AffineGrid: sampling coordinates of output pixels under an affine transform for each image.
// https://onnx.ai/onnx/operators/onnx__AffineGrid.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct AffineGrid {
  static const OpSchema schema;

  bool align_corners = false;  ///< -1 and 1 are the centers of the corner pixels, not their edges

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
