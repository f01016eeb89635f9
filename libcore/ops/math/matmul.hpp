// MatMul: products of the matrices in the last two axes; the axes before are broadcast.
// https://onnx.ai/onnx/operators/onnx__MatMul.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct MatMul {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The shape of the product of inputs `first` and `second`; nothing when either rank is unknown.
/// Throws ErrorCode::invalid when the shapes cannot be multiplied.
PartialShape matmul_shape(const InferContext& context, std::int64_t first, std::int64_t second);
/// Likewise for shapes of rank 1 or more.
PartialShape matmul_shape(const PartialShape& a, const PartialShape& b);

}  // namespace ortool
