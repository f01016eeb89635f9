// ai.onnx.contrib.GaussianBlur: images smoothed as OpenCV's function of that name does.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Inputs: images [N, height, width, channels], the height and width of the window (odd, or 0 for
/// one that fits the deviation), and the standard deviations along width and height (0: one that
/// fits the window). Pixels beyond the border are mirrored, without the border's own.
struct GaussianBlur {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
