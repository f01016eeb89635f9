// DictVectorizer: the values of a map as a row, each in the column of its key.
// https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct DictVectorizer {
  static const OpSchema schema;

  Tensor vocabulary;  ///< the key of each column, int64 or strings

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
