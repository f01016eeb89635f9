// DeformConv: deformable convolution, whose sampling positions are shifted by offsets.
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct DeformConv {
  static const OpSchema schema;

  WindowAttributes window;
  std::int64_t groups = 1;
  std::int64_t offset_groups = 1;  ///< channel groups with common offsets

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
