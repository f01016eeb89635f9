// GatherND: slices of a tensor, selected by index tuples.
// https://onnx.ai/onnx/operators/onnx__GatherND.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GatherND {
  static const OpSchema schema;

  std::int64_t batch_dims = 0;  ///< number of leading axes that data and indices share

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
