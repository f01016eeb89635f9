// DepthToSpace and SpaceToDepth: move blocks of pixels from channels to space and back.
// https://onnx.ai/onnx/operators/onnx__DepthToSpace.html, …__SpaceToDepth.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct DepthToSpace {
  static const OpSchema schema;

  std::int64_t block = 1;
  bool depth_last = false;  ///< CRD: channels are ordered column, row, depth; else depth last (DCR)

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct SpaceToDepth {
  static const OpSchema schema;

  std::int64_t block = 1;
  bool depth_last = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
