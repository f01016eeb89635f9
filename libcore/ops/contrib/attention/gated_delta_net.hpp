// com.microsoft.GatedDeltaNet: linear attention of packed sequences with a recurrent state each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/nn/attention/linear_attention.hpp"

namespace ortool {

/// Inputs: queries, keys and values, tokens x heads x size each, or queries alone with all three in
/// their rows; the bounds of the sequences; decay and update rate of each token; the states
/// sequences x value heads x value size x key size; the numbers of the decay's function; how many
/// tokens of each sequence are captured, and whether any are. Tokens may also be batch x length.
/// Outputs: tokens x value heads x value size, the states after the last tokens, and decays, keys
/// and changes of the first tokens, from which their states follow.
struct GatedDeltaNet {
  static const OpSchema schema;

  LinearAttention::Rule rule = LinearAttention::Rule::gated_delta;
  float scale = 0;                  ///< 0: 1 / sqrt(key size)
  bool has_decay_function = false;  ///< -exp(a_log) softplus(decay + dt_bias) is the decay
  bool has_beta_sigmoid = false;
  bool normalizes = false;    ///< queries and keys to length 1
  std::int64_t capacity = 0;  ///< of captured tokens

  bool has_decay() const;
  bool has_delta() const;

  /// Heads and sizes, where they are known.
  struct Sizes {
    Dimension key_heads;
    Dimension key_size;
    Dimension value_heads;
    Dimension value_size;
    std::int64_t token_axes = 1;  ///< 2: batch and length
  };
  /// Nothing while the rank of the queries is not known. Throws ErrorCode::invalid for shapes that
  /// do not fit together; the functions give those of inputs.
  static std::optional<Sizes> sizes_of(const PartialShape& query, const PartialShape& value,
                                       const PartialShape& state);

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
