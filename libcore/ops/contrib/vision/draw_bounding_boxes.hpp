// com.microsoft.extensions.DrawBoundingBoxes: frames of detections, drawn into an image.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: pixels [height, width, 3] in the order BGR, and boxes [n, 6]: four coordinates in
/// pixels, score and class. Output: the pixels with frames, the best on top.
struct DrawBoundingBoxes {
  static const OpSchema schema;
  enum class Coding { center_and_size, corner_and_size, corners };

  Coding coding = Coding::corners;
  std::int64_t thickness = 4;
  bool colors_are_of_classes = true;  ///< otherwise of places by score; only ten are drawn then
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
