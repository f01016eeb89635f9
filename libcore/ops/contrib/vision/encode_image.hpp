// com.microsoft.extensions.EncodeImage: pixels to an image file, PNG or JPEG, as post-processing
// graphs of onnxruntime-extensions end with.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Input: pixels [height, width, 3]. Output: the bytes of a file.
struct EncodeImage {
  static const OpSchema schema;
  enum class Format { jpeg, png };

  Format format = Format::png;
  bool is_bgr = true;  ///< the order of the channels; otherwise RGB
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
