// com.microsoft.MulInteger and ReduceSumInteger: integer arithmetic on quantized elements.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, its zero point, B, its zero point. C = (A - its zero point) * (B - its zero point).
struct MulInteger {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The sum of int8 in int32, or of uint8 in uint32.
struct ReduceSumInteger {
  static const OpSchema schema;

  std::vector<std::int64_t> axes;  ///< empty: all
  bool keep_dimensions = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
