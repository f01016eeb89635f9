// HannWindow, HammingWindow, BlackmanWindow: window functions for spectral analysis.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common base: the input gives the number of weights.
struct SignalWindow {
  bool is_periodic = true;  ///< the first weights of a window longer by one; else symmetric
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
