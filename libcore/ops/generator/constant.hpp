// Constant: a value written into the node.
// https://onnx.ai/onnx/operators/onnx__Constant.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Constant {
  static const OpSchema schema;

  Tensor value;                          ///< empty when `sparse` is given
  const SparseTensor* sparse = nullptr;  ///< lives in the node; its indices are checked

  DataType element() const { return sparse != nullptr ? sparse->values.type() : value.type(); }
  const Shape& shape() const { return sparse != nullptr ? sparse->dimensions : value.shape(); }

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Where the k-th value of `sparse` stands in the dense tensor, row-major: its indices are either
/// such positions or a row of coordinates a value. Throws ErrorCode::invalid outside the shape.
std::int64_t dense_position(const SparseTensor& sparse, std::int64_t k);

}  // namespace ortool
