// com.microsoft.MatMulNBitsMlp and MatMulNBitsQkv: a norm and several MatMulNBits of its result.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, optionally skip and the scale of a norm; then codes, scales and optionally a bias of
/// two matrices. Y = silu(gate) * up.
struct MatMulNBitsMlp {
  static const OpSchema schema;

  BlockOperands blocks;
  std::int64_t accuracy_level = 0;
  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: A, optionally skip, the scale of a norm; then codes, scales and optionally a bias of
/// three matrices. Outputs: the three products, and A + skip.
struct MatMulNBitsQkv {
  static const OpSchema schema;

  BlockOperands blocks;  ///< n: of the first matrix
  std::int64_t kv_columns = 0;
  std::int64_t accuracy_level = 0;
  float epsilon = 1e-6F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
