// ScatterND: replaces slices of a tensor, selected by index tuples.
// https://onnx.ai/onnx/operators/onnx__ScatterND.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"

namespace ortool {

struct ScatterND {
  static const OpSchema schema;

  ScatterReduction reduction = ScatterReduction::none;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
