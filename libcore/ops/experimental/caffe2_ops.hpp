// GRUUnit and ATen: Caffe2 operators in ONNX's domain, removed in ONNX 1.5.
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// One GRU step from its pre-activation gates; the state of sequences that have ended is kept or
/// dropped.
struct GRUUnit {
  static const OpSchema schema;
  bool drops_states = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Any PyTorch operator; attributes of any name define what it computes.
struct ATen {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext&) const {}
};

}  // namespace ortool
