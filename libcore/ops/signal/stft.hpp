// STFT: the spectra of overlapping pieces of a signal.
// https://onnx.ai/onnx/operators/onnx__STFT.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct STFT {
  static const OpSchema schema;

  bool onesided = true;  ///< only the bins that are no mirror images

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
