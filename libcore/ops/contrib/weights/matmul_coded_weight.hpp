// com.microsoft.MatMulBlockQuantizedFp4Weight and ...Fp8Weight: products with block-scaled weights.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, B (n x k / 2, two float4e2m1 a byte), the float8e4m3fn scales of blocks as bytes, a
/// scale of the whole, and optionally a scale of A, without effect, and a bias.
struct MatMulBlockQuantizedFp4Weight {
  static const OpSchema schema;

  std::int64_t block_size = 16;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: A, B (n x k float8e4m3fn), the scales of blocks, and optionally a scale by which A is
/// quantized to float8e4m3fn, and a bias.
struct MatMulBlockQuantizedFp8Weight {
  static const OpSchema schema;

  std::int64_t block_size = 128;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
