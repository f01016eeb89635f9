// HannWindow, HammingWindow, BlackmanWindow: weights that fade a piece of a signal in and out.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What the three have in common: as many weights as the input says.
struct SignalWindow {
  bool is_periodic = true;  ///< the first of a window one longer; else symmetric
  DataType element = DataType::float32;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct BlackmanWindow : SignalWindow {
  static const OpSchema schema;
};
struct HammingWindow : SignalWindow {
  static const OpSchema schema;
};
struct HannWindow : SignalWindow {
  static const OpSchema schema;
};

}  // namespace ortool
