// com.microsoft.GroupQueryAttention: causal attention of groups of query heads that share keys and
// values, with a cache of keys and values and rotary position embedding.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GroupQueryAttention {
  static const OpSchema schema;

  /// The order of inputs and outputs.
  enum Input : std::int64_t {
    query,
    key,
    value,
    past_key,
    past_value,
    seqlens_k,
    total_sequence_length,
    cos_cache,
    sin_cache,
    position_ids,
    attention_bias,
    head_sink,
    k_scale,
    v_scale,
    q_norm_weight,
    k_norm_weight
  };
  enum class Scales { none, per_tensor, per_channel };
  enum class Scores { none, before_softmax, after_softmax };

  std::int64_t query_heads = 0;
  std::int64_t shared_heads = 0;
  std::optional<float> scale;  ///< absent: 1 / sqrt(head size)
  float softcap = 0;
  bool is_causal = true;
  bool is_smooth = false;
  std::int64_t window = -1;  ///< visible keys up to the query's own position; -1: all
  bool drops_rows = false;  ///< caches have a fixed number of rows, and drop what leaves the window
  bool rotates = false;
  bool is_interleaved = false;
  Scales key_scales = Scales::none;
  Scales value_scales = Scales::none;
  std::int64_t bits = 0;  ///< of a quantized cache
  Scores scores = Scores::none;
  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

 private:
  DataType cache_type(const InferContext& context, std::int64_t input, Scales scales) const;
  void check_window_cache(const InferContext& context) const;
};

}  // namespace ortool
