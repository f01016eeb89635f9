// CenterCropPad: axes cut or filled up with zeros to given sizes, the middle staying in the middle.
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

  std::optional<std::vector<std::int64_t>> axes;  ///< none: all of them, in order

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
