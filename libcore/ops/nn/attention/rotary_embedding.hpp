// RotaryEmbedding: rotates pairs of elements by angles that encode their position.
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct RotaryEmbedding {
  static const OpSchema schema;

  bool interleaved = false;       ///< pairs are adjacent elements, not half a head apart
  std::int64_t heads = 0;         ///< for packed inputs (rank 3)
  std::int64_t rotated_size = 0;  ///< number of rotated elements of a head; 0: all

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
