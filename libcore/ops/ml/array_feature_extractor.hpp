// ArrayFeatureExtractor: selects columns by index.
// https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct ArrayFeatureExtractor {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
