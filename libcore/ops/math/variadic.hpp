// Min, Max, Sum, Mean: any number of tensors combined element by element.
// https://onnx.ai/onnx/operators/onnx__Max.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What the four share.
struct Variadic {
  bool same_shapes = false;  ///< before opset 8 nothing was broadcast

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
  /// Tells the output's elements for one or two inputs.
  void combine_all(InferContext& context, ElementOp op) const;
};

struct Min : Variadic {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Max : Variadic {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Sum : Variadic {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Mean : Variadic {
  static const OpSchema schema;
};

}  // namespace ortool
