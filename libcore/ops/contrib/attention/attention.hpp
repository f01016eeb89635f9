// com.microsoft.Attention and QAttention: a projection to queries, keys and values, and their
// attention; QAttention's input and weights are 8-bit integers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "libcore/ops/contrib/attention/multi_head_attention.hpp"

namespace ortool {

/// Where the operator has each input; -1: nowhere.
struct ProjectedInputs {
  std::int64_t input = 0;
  std::int64_t weights = 1;
  std::int64_t bias = 2;
  std::int64_t mask = 3;
  std::int64_t past = 4;
  std::int64_t attention_bias = 5;
  std::int64_t past_length = 6;
};

/// The widths of queries, which keys share, and of values in the attribute 'qkv_hidden_sizes';
/// nothing without it. Throws ErrorCode::invalid for other lists.
std::optional<std::array<std::int64_t, 2>> read_qkv_widths(AttributeReader& attributes);

struct ContribAttention : MultiHeadAttentionBase {
  static const OpSchema schema;
  static constexpr ProjectedInputs inputs = {};

  bool rotates = false;
  bool shares_buffer = false;  ///< the cache has room for more rows

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const { infer_projected(context, inputs); }

 protected:
  void read_common(AttributeReader& attributes);
  void infer_projected(InferContext& context, const ProjectedInputs& where) const;
};

/// Other inputs: scales and zero points of the input and of the weights.
struct QAttention : ContribAttention {
  static const OpSchema schema;
  static constexpr ProjectedInputs inputs = {
      .mask = 5, .past = 8, .attention_bias = -1, .past_length = -1};

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const { infer_projected(context, inputs); }
};

}  // namespace ortool
