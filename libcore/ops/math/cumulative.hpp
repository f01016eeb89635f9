// CumSum and CumProd: sums and products of all elements up to each along an axis.
// https://onnx.ai/onnx/operators/onnx__CumSum.html
// https://onnx.ai/onnx/operators/onnx__CumProd.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What the two have in common: the axis comes as a value.
struct CumulativeOp {
  bool exclusive = false;  ///< each element itself does not count
  bool reverse = false;    ///< from the end on

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct CumSum : CumulativeOp {
  static const OpSchema schema;
};

struct CumProd : CumulativeOp {
  static const OpSchema schema;
};

}  // namespace ortool
