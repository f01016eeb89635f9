// Constant: a constant tensor stored in an attribute of the node.
// https://onnx.ai/onnx/operators/onnx__Constant.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Constant {
  static const OpSchema schema;

  Tensor value;                          ///< empty when `sparse` is given
  const SparseTensor* sparse = nullptr;  ///< owned by the node; its indices have been checked

  DataType element() const { return sparse != nullptr ? sparse->values.type() : value.type(); }
  const Shape& shape() const { return sparse != nullptr ? sparse->dimensions : value.shape(); }

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The row-major position of the k-th value of `sparse` in the dense tensor. Its indices are either
/// such positions or one row of coordinates for each value. Throws ErrorCode::invalid outside the
/// shape.
std::int64_t dense_position(const SparseTensor& sparse, std::int64_t k);

}  // namespace ortool
