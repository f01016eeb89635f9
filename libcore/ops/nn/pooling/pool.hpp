// Pooling: maximum, mean or norm over a sliding window.
// https://onnx.ai/onnx/operators/onnx__MaxPool.html, …__AveragePool.html, …__LpPool.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct MaxPool {
  static const OpSchema schema;

  WindowAttributes window;
  bool column_major = false;  ///< storage_order of the second output, the indices of the maxima

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct AveragePool {
  static const OpSchema schema;

  WindowAttributes window;
  bool count_pads = false;  ///< count_include_pad; not for windows cut off by ceil_mode

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct LpPool {
  static const OpSchema schema;

  WindowAttributes window;
  double p = 2;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
