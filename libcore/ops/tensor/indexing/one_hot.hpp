// OneHot: adds an axis with the on-value at the index and the off-value elsewhere.
// https://onnx.ai/onnx/operators/onnx__OneHot.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct OneHot {
  static const OpSchema schema;

  std::int64_t axis = -1;       ///< position in the output
  bool counts_from_end = true;  ///< since 11; before, negative indices gave only off-values

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
