// ZipMap: converts each row to a map from labels to its elements.
// https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct ZipMap {
  static const OpSchema schema;

  Tensor labels;  ///< of the columns, int64 or strings

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
