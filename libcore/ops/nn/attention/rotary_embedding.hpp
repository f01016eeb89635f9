// RotaryEmbedding: pairs of elements turned by an angle that tells their position.
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct RotaryEmbedding {
  static const OpSchema schema;

  bool interleaved = false;       ///< a pair's elements are neighbours, not half a head apart
  std::int64_t heads = 0;         ///< of a packed input (rank 3)
  std::int64_t rotated_size = 0;  ///< how much of a head turns; 0: all of it

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
