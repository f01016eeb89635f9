// CenterCropPad: crops axes or pads them with zeros to given sizes, around the center.
// https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct CenterCropPad {
  static const OpSchema schema;

  std::optional<std::vector<std::int64_t>> axes;  ///< absent: all axes, in order

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
