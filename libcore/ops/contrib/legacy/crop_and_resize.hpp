// com.microsoft.CropAndResize: regions of images, resized to one size.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: images N x C x H x W, regions [y1, x1, y2, x2] relative to the image's corner pixels,
/// the image of each region, and the size [height, width] of the result.
struct CropAndResize {
  static const OpSchema schema;

  bool takes_nearest = false;
  float outside = 0;  ///< the value of samples outside the image

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
