// Range: an arithmetic sequence from start to limit (exclusive) with a fixed step.
// https://onnx.ai/onnx/operators/onnx__Range.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Range {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The number of elements; operands are scalars (or one-element tensors) of one type. Throws
/// ErrorCode::invalid for a step of 0 and for more than 2^43 elements.
std::int64_t range_count(const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace ortool
