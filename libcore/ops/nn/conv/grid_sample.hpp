// GridSample: samples an image at the coordinates of a grid.
// https://onnx.ai/onnx/operators/onnx__GridSample.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GridSample {
  static const OpSchema schema;

  enum class Mode { linear, nearest, cubic };
  enum class Padding { zeros, border, reflection };

  Mode mode = Mode::linear;
  Padding padding = Padding::zeros;  ///< values outside the image
  bool align_corners = false;  ///< -1 and 1 are the centers of the corner pixels, not their edges
  bool only_images = false;    ///< before version 20: exactly two spatial axes

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
