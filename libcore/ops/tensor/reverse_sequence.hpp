// ReverseSequence: reverses each sequence of a batch up to its length.
// https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct ReverseSequence {
  static const OpSchema schema;

  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
