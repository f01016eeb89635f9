// GatherElements: elements of a tensor along an axis, each selected by an index.
// https://onnx.ai/onnx/operators/onnx__GatherElements.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GatherElements {
  static const OpSchema schema;

  std::int64_t axis = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
