// com.microsoft.VarlenCausalConvWithState: a causal depthwise convolution of packed sequences, each
// with a state.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: tokens x channels, weights channels x 1 x taps, the bounds of the sequences, a bias, the
/// states sequences x channels x length, and how many tokens of each are captured. Outputs: tokens
/// x channels, the states after the last tokens, and the captured tokens: sequences x capacity x
/// channels.
struct VarlenCausalConvWithState {
  static const OpSchema schema;

  std::int64_t dilation = 1;
  std::int64_t capacity = 0;  ///< of captured tokens
  bool has_silu = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
