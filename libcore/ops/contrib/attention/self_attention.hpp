// ortool.SelfAttention: attention of queries, keys and values side by side, which com.microsoft's
// Attention and QAttention are decomposed to after their product with the weights.
#pragma once

#include <cstdint>

#include "libcore/ops/contrib/attention/multi_head_attention.hpp"

namespace ortool {

/// Queries, keys and values: batch x length x (2 * key_width + value_width), or three times a
/// width if those are 0. The cache, past and
/// present: 2 x batch x heads x length x size.
struct SelfAttention : MultiHeadAttentionBase {
  static const OpSchema schema;
  static constexpr MultiHeadInputs inputs = {.query = 0,
                                             .key = -1,
                                             .value = -1,
                                             .bias = -1,
                                             .mask = 1,
                                             .attention_bias = 3,
                                             .past_key = 2,
                                             .past_value = 2,
                                             .past_length = 4,
                                             .beam_width = -1,
                                             .cache_indirection = -1};

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
