// com.microsoft.QuantizeWithOrder, DequantizeWithOrder, QOrderedMatMul, QOrderedGelu and
// QOrderedLayerNormalization: int8 without zero points, in memory orders of NVIDIA's tensor cores.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/contrib/quantized/matrix_layout.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// Inputs: floats and a scale. The result has the shape of the input, its matrices another order.
struct QuantizeWithOrder {
  static const OpSchema schema;
  MatrixLayout from = MatrixLayout::rows;
  MatrixLayout to = MatrixLayout::rows;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct DequantizeWithOrder {
  static const OpSchema schema;
  MatrixLayout from = MatrixLayout::rows;
  MatrixLayout to = MatrixLayout::rows;
  DataType type = DataType::float32;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: A, its scale, B, its scale (or one for each column), the result's scale, a bias in units
/// of the result's scale, a matrix to add and its scale. B is stored by columns.
struct QOrderedMatMul {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: x, its scale and the result's scale.
struct QOrderedGelu {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: x, its scale, weights, biases and the result's scale.
struct QOrderedLayerNormalization {
  static const OpSchema schema;
  std::int64_t axis = -1;
  float epsilon = 1e-5F;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
