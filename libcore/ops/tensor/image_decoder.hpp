// ImageDecoder: decodes an image file to pixels.
// https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct ImageDecoder {
  static const OpSchema schema;

  enum class Format { rgb, bgr, grayscale };

  Format pixel_format = Format::rgb;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
