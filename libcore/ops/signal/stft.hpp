// STFT: the short-time Fourier transform of a signal.
// https://onnx.ai/onnx/operators/onnx__STFT.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct STFT {
  static const OpSchema schema;

  bool onesided = true;  ///< outputs only the non-redundant bins

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
