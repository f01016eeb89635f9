// Trilu: the upper or lower triangle of each matrix, zeros elsewhere.
// https://onnx.ai/onnx/operators/onnx__Trilu.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Trilu {
  static const OpSchema schema;

  ValueOrInput<std::int64_t> k;  ///< the diagonal; positive is above the main one; 0 if omitted
  bool upper = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
