// Crop, removed in ONNX 1.5: crops images [N, C, H, W].
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Crop {
  static const OpSchema schema;

  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t right = 0;  ///< used only without a size
  std::int64_t bottom = 0;
  std::optional<std::int64_t> height;  ///< of the cropped image; both or neither are given
  std::optional<std::int64_t> width;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
