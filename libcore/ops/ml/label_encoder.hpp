// LabelEncoder: every element replaced by what a table says of it.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LabelEncoder {
  static const OpSchema schema;

  /// Vectors of the same length. A key given twice counts as it is given last; NaN is found by NaN.
  Tensor keys;
  Tensor values;
  Tensor default_value;  ///< of the values' type, one element: for what is not among the keys

  /// Version 1: `keys` are 0, 1, …, `values` strings, and a string input is mapped the other way,
  /// to `default_key` when it is not among the values.
  bool works_both_ways = false;
  std::int64_t default_key = -1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
