// EyeLike: a matrix with ones on a diagonal and the size of the input.
// https://onnx.ai/onnx/operators/onnx__EyeLike.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct EyeLike {
  static const OpSchema schema;

  std::optional<DataType> type;  ///< absent: the input's type
  std::int64_t k = 0;            ///< index of the diagonal; positive is above the main one

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
