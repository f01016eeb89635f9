// IsInf: tests elements for infinities of one sign or both.
// https://onnx.ai/onnx/operators/onnx__IsInf.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct IsInf {
  static const OpSchema schema;

  bool detect_negative = true;
  bool detect_positive = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
