// CumSum and CumProd: cumulative sums and products along an axis.
// https://onnx.ai/onnx/operators/onnx__CumSum.html
// https://onnx.ai/onnx/operators/onnx__CumProd.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common base of both; the axis is an input.
struct CumulativeOp {
  bool exclusive = false;  ///< excludes the element itself
  bool reverse = false;    ///< starts from the end

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
