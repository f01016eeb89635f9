// Squeeze, Unsqueeze: remove or insert dimensions of 1.
// https://onnx.ai/onnx/operators/onnx__Squeeze.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Squeeze {
  static const OpSchema schema;

  ValueOrInput<std::vector<std::int64_t>> axes;  ///< omitted: every dimension of 1

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct Unsqueeze {
  static const OpSchema schema;

  ValueOrInput<std::vector<std::int64_t>> axes;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
