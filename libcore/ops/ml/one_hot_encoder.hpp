// OneHotEncoder: encodes each element as a row with a one in the column of its category.
// https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct OneHotEncoder {
  static const OpSchema schema;

  Tensor categories;          ///< int64 or strings
  bool takes_unknown = true;  ///< unknown categories become zeros; otherwise they are errors

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
