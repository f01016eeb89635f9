// com.microsoft.extensions.DecodeImage: an image file to pixels, as pre-processing graphs of
// onnxruntime-extensions begin with.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Input: the bytes of a file. Output: pixels [height, width, 3].
struct DecodeImage {
  static const OpSchema schema;
  bool is_bgr = true;  ///< the order of the channels; otherwise RGB
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

namespace extensions {

/// ai.onnx.contrib.ImageDecoder, as onnxruntime-extensions built with OpenCV has it: pixels in BGR.
struct ImageDecoder {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace extensions
}  // namespace ortool
