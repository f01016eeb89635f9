// LabelEncoder: maps each element through a lookup table.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LabelEncoder {
  static const OpSchema schema;

  /// Vectors of equal length. The last of duplicate keys wins; NaN matches NaN.
  Tensor keys;
  Tensor values;
  Tensor default_value;  ///< one element of the values' type, for unknown inputs

  /// Version 1: `keys` are 0, 1, …, `values` are strings, and a string input is mapped the other
  /// way, to `default_key` if it is not among the values.
  bool works_both_ways = false;
  std::int64_t default_key = -1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
