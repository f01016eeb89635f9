// com.microsoft.MatMulFpQ4: matrix product with 4-bit weights in MLAS's blob of blocks.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, the blob, and the shape (k, n) of the matrix in it.
struct MatMulFpQ4 {
  static const OpSchema schema;

  std::int64_t block_size = 32;
  bool has_zeros = true;  ///< each block has a zero point behind its scale

  std::int64_t block_bytes() const { return 4 + (has_zeros ? 1 : 0) + block_size / 2; }
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
