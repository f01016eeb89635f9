// Compress: selects the slices along an axis for which a condition is true.
// https://onnx.ai/onnx/operators/onnx__Compress.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Compress {
  static const OpSchema schema;

  std::optional<std::int64_t> axis;  ///< absent: the input is flattened

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
