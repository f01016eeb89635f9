// Normalizer: divides each row by its maximum or its norm.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Normalizer {
  static const OpSchema schema;

  enum class Norm { largest, l1, l2 };
  Norm norm = Norm::largest;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
