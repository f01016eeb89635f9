// Min, Max, Sum, Mean: elementwise reduction of any number of tensors.
// https://onnx.ai/onnx/operators/onnx__Max.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common base of the four operators.
struct Variadic {
  bool same_shapes = false;  ///< no broadcasting (before opset 8)

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
  /// Sets the output's elements, for one or two inputs.
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
