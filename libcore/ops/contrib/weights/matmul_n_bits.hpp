// com.microsoft.MatMulNBits: matrix product with block-quantized weights of 2, 4 or 8 bits.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, B (n x blocks x block_size * bits / 8), scales, and optionally zero points, group
/// indices and a bias.
struct MatMulNBits {
  static const OpSchema schema;

  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t bits = 4;
  std::int64_t block_size = 0;
  bool allows_int8 = false;  ///< accuracy_level 4: A may be quantized to int8, block by block

  std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
