// GRUUnit and ATen, removed in ONNX 1.5: operators of Caffe2 under ONNX's name.
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// A step of a GRU from its gates before activation; the state of sequences that have ended is kept
/// or dropped.
struct GRUUnit {
  static const OpSchema schema;
  bool drops_states = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Any operator of PyTorch; what it does is said by attributes of any name.
struct ATen {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext&) const {}
};

}  // namespace ortool
