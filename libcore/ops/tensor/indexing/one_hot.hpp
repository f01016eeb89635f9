// OneHot: a new axis that is on at the index and off elsewhere.
// https://onnx.ai/onnx/operators/onnx__OneHot.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct OneHot {
  static const OpSchema schema;

  std::int64_t axis = -1;       ///< among the axes of the output
  bool counts_from_end = true;  ///< since 11 indices below 0 do; before they are off everywhere

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
