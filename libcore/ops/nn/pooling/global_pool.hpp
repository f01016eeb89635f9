// Global pooling: mean, maximum or norm over all spatial axes.
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html, …__GlobalMaxPool.html,
// …__GlobalLpPool.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common shape rule: each axis after N and C becomes 1.
struct GlobalPool {
  void infer(InferContext& context) const;
};

struct GlobalAveragePool : GlobalPool {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

struct GlobalMaxPool : GlobalPool {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

struct GlobalLpPool : GlobalPool {
  static const OpSchema schema;
  double p = 2;
  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
