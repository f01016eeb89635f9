// com.microsoft.LinearAttention, CausalConvWithState and their gates: attention with a recurrent
// state, as hybrid models have it.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/nn/attention/linear_attention.hpp"
#include "libcore/ops/nn/conv/causal_conv_with_state.hpp"

namespace ortool {

/// ONNX's operator; a head of queries, and one of keys, may also be shared by several of values,
/// and the state may hold those after the last tokens.
struct ContribLinearAttention : LinearAttention {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
};

/// ONNX's operator, also with taps that are spaced out, with channels last, and with the states
/// after the last positions along a leading axis.
struct ContribCausalConvWithState : CausalConvWithState {
  static const OpSchema schema;

  std::int64_t dilation = 1;
  bool has_channels_last = false;
  std::int64_t state_window = 0;  ///< states along the leading axis; 0: one, without axis

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// decay_scale * softplus(a + dt_bias), and the sigmoid of b.
struct LinearAttentionGate {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// RMS normalization of groups of elements, as many as `scale` has, times an activated gate.
struct GatedRMSNorm {
  static const OpSchema schema;

  bool has_sigmoid = false;  ///< rather than SiLU
  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// x + y * gate
struct GatedAdd {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
