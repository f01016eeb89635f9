// Experimental unary functions, removed by ONNX 1.5; files of opsets 1 to 9 contain them.
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// alpha x + beta.
struct Affine : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1;
  float beta = 0;
  void read(AttributeReader& attributes, int version);
};

/// alpha log(e^(beta x) + 1).
struct ParametricSoftplus : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 0;
  float beta = 0;
  void read(AttributeReader& attributes, int version);
};

/// The operator Scale: scale x.
struct ScaleOp : ElementwiseOp {
  static const OpSchema schema;
  float scale = 1;
  void read(AttributeReader& attributes, int version);
};

/// alpha tanh(beta x).
struct ScaledTanh : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 0;
  float beta = 0;
  void read(AttributeReader& attributes, int version);
};

/// scale x + bias[channel], for images [N, C, H, W].
struct ImageScaler {
  static const OpSchema schema;
  float scale = 1;
  std::vector<float> bias;  ///< one per channel; empty means zeros
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
