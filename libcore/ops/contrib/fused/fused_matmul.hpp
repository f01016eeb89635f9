// com.microsoft.FusedMatMul, its older name TransposeMatMul, and FusedMatMulActivation: MatMul with
// transposed operands and a factor.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/contrib/fused/fused_activation.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// alpha * A' * B'. An operand of rank 1 is never transposed. With `moves_batch`, axis 0 of an
/// operand of rank 3 or more is that of its rows, and the batch axes follow it.
struct FusedMatMul {
  static const OpSchema schema;

  float alpha = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  bool moves_batch_a = false;
  bool moves_batch_b = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

  /// The order of axes in which an operand of this rank, 2 or more, is multiplied.
  static std::vector<std::int64_t> axes(std::int64_t rank, bool transposes, bool moves_batch);
};

struct TransposeMatMul : FusedMatMul {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
};

struct FusedMatMulActivation : FusedMatMul {
  static const OpSchema schema;

  FusedActivation activation;

  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
