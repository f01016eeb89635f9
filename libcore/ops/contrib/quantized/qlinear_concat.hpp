// com.microsoft.QLinearConcat: Concat of quantized operands.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: scale and zero point of the result; then operands, each with scale and zero point.
struct QLinearConcat {
  static const OpSchema schema;

  std::int64_t axis = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
