// com.microsoft.MultiHeadAttention and DecoderMaskedMultiHeadAttention: attention of projected
// queries, keys and values, with biases, masks of several forms, and a cache.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Where the operator has each input; -1: nowhere.
struct MultiHeadInputs {
  std::int64_t query = 0;
  std::int64_t key = 1;
  std::int64_t value = 2;
  std::int64_t bias = 3;
  std::int64_t mask = 4;  ///< integers, in one of the forms of key_mask_form
  std::int64_t attention_bias = 5;
  std::int64_t past_key = 6;    ///< heads before length
  std::int64_t past_value = 7;  ///< equal to past_key: one tensor 2 x batch x heads x length x size
  std::int64_t past_length = 8;  ///< the caches have room for more rows, and hold this many
  std::int64_t beam_width = -1;
  std::int64_t cache_indirection = 9;
};

/// The forms of a mask of keys; B batches of S queries and T keys.
enum class KeyMaskFormat {
  ends,             ///< B: the number of keys before padding
  ends_and_starts,  ///< 2B: also the first key behind padding
  keys,             ///< B x T: 0 hides a key
  queries_and_keys  ///< B x S x T
};

/// The form of a mask; also of 3B + 2 numbers, of which B are ends, and of 4 dimensions, B x 1 x M
/// x M, of which S x T count. Nothing while its shape is unknown. Throws ErrorCode::invalid for
/// others.
std::optional<KeyMaskFormat> key_mask_form(const PartialShape& mask, const Dimension& batch,
                                           const Dimension& total);

/// What the operators share.
struct MultiHeadAttentionBase {
  std::int64_t heads = 0;
  std::optional<float> scale;  ///< absent: 1 / sqrt(head size)
  float mask_filter = 0;       ///< added to the scores of hidden keys
  bool is_causal = false;
  std::int64_t key_width = 0;    ///< of keys of all heads within packed queries; 0: a third
  std::int64_t value_width = 0;  ///< the same of values
  std::int64_t rotated_size =
      0;  ///< elements of a head that are rotated by their position; -1: all

  void infer_heads(InferContext& context, const MultiHeadInputs& inputs) const;
};

struct MultiHeadAttention : MultiHeadAttentionBase {
  static const OpSchema schema;
  static constexpr MultiHeadInputs inputs = {};

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const { infer_heads(context, inputs); }
};

/// A query of one token, whose keys may come from other beams of a beam search.
struct DecoderMaskedMultiHeadAttention : MultiHeadAttentionBase {
  static const OpSchema schema;
  static constexpr MultiHeadInputs inputs = {.bias = 10,
                                             .mask = 3,
                                             .attention_bias = 4,
                                             .past_key = 5,
                                             .past_value = 6,
                                             .past_length = 7,
                                             .beam_width = 8,
                                             .cache_indirection = 9};

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const { infer_heads(context, inputs); }
};

}  // namespace ortool
