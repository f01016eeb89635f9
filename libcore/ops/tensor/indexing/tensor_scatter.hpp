// TensorScatter: writes new entries into a cache along an axis.
// https://onnx.ai/onnx/operators/onnx__TensorScatter.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct TensorScatter {
  static const OpSchema schema;

  enum class Mode { linear, circular };

  std::int64_t axis = -2;  ///< never 0, which is the batch
  Mode mode = Mode::linear;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
