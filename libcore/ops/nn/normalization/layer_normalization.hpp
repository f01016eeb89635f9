// LayerNormalization and RMSNormalization: normalize the last axes of a tensor, then scale.
// https://onnx.ai/onnx/operators/onnx__LayerNormalization.html, …__RMSNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LayerNormalization {
  static const OpSchema schema;

  std::int64_t axis = -1;  ///< the first normalized axis
  float epsilon = 1e-5F;
  DataType statistics = DataType::float32;  ///< element type of the outputs Mean and InvStdDev

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct RMSNormalization {
  static const OpSchema schema;

  std::int64_t axis = -1;
  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// ONNX Runtime's predecessor of RMSNormalization (opset 23), written into ONNX's own domain.
struct SimplifiedLayerNormalization : RMSNormalization {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
