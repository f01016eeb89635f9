// com.microsoft.MoE and QMoE: mixture of experts, with float or block-quantized weights.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// How experts are chosen and what stands between their matrices.
struct ExpertLayer {
  enum class Activation { relu, gelu, silu, swiglu, identity };
  /// How the two halves of swiglu are stored: in two matrices, column by column, or one after the
  /// other.
  enum class GateForm { separate, interleaved, concatenated };

  std::int64_t chosen = 1;  ///< experts for each token
  Activation activation = Activation::relu;
  GateForm gate = GateForm::separate;
  bool normalizes = false;  ///< the weights of the chosen experts are scaled to sum to 1
  float alpha = 1.0F;       ///< of swiglu
  float beta = 0.0F;
  float limit = 0.0F;  ///< of swiglu; infinite where there is none

  /// Rows of the first matrix for each of the second one's columns.
  std::int64_t fused() const {
    return activation == Activation::swiglu && gate != GateForm::separate ? 2 : 1;
  }
  void read(AttributeReader& attributes);
};

/// Inputs: tokens, logits of the experts; weights and bias of the first, the second, and
/// optionally a third layer.
struct MoE : ExpertLayer {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: tokens, logits of the experts; codes, scales and bias of three layers; zero points of
/// each; weights of the experts instead of those that follow from the logits; and those of formats
/// for GPUs.
struct QMoE : ExpertLayer {
  static const OpSchema schema;

  std::int64_t bits[3] = {4, 4, 4};
  std::int64_t block_size = 0;  ///< 0: a scale for each row
  bool allows_int8 = false;     ///< accuracy_level 4

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

 private:
  /// Refuses weights whose rows are those of the input, as CUDA kernels take them.
  void refuse_prepacked(const InferContext& context) const;
};

}  // namespace ortool
