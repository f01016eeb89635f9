// Attention parameters: sizes, operand strides, and which keys a query sees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/cpu/attention/cache_format.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

struct AttentionSizes {
  std::int64_t batch = 0;
  std::int64_t query_heads = 0;
  std::int64_t shared_heads = 0;  ///< of keys and values; divides query_heads
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
};

/// The intermediate result that is stored between the query-key product and the attention weights.
enum class KeptScores { none, product, capped, masked, weights };

struct AttentionRules {
  float scale = 1;
  float softcap = 0;  ///< 0: none
  bool is_causal = false;
  std::int64_t left_window = -1;  ///< -1: unlimited
  std::int64_t right_window = -1;
  std::int64_t past = 0;  ///< keys before the first query's position; unused with `lengths`
  KeptScores kept = KeptScores::none;
  /// What kept scores hold for keys that causality, windows or lengths hide.
  float hidden_score = -std::numeric_limits<float>::infinity();
  /// Adds e^0 to the denominator of each softmax (smooth softmax), unless there are sinks.
  bool is_smooth = false;
  bool has_encoded_keys = false;  ///< operands.encoded_keys is given, which needs workspace
  bool has_encoded_values = false;
  /// Scores are rounded to score_type after each step, weights to both types. float32: no rounding.
  DataType score_type = DataType::float32;
  DataType weight_type = DataType::float32;
  /// The operands of both products are rounded to bfloat16, but for a few query rows per head; the
  /// processor multiplies it.
  bool has_bf16_products = false;
};

/// Strided rows of one operand; strides are in elements.
template <typename Pointer>
struct HeadRows {
  Pointer data = nullptr;
  std::int64_t batch_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t row_stride = 0;

  Pointer at(std::int64_t batch, std::int64_t head, std::int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
};

/// Keys or values in another format than float32, which tasks decode.
struct EncodedRows {
  CacheFormat format;
  HeadRows<const std::byte*> rows;  ///< strides in bytes; no data: not encoded

  bool is_given() const { return rows.data != nullptr; }
};

/// float64 has only what ONNX's Attention has: neither key masks, positions, sinks nor encoded
/// rows.
template <typename T>
struct AttentionOperands {
  HeadRows<const T*> queries;
  HeadRows<const T*> keys;
  HeadRows<const T*> values;
  HeadRows<const T*> mask;  ///< rows of `mask_keys`, added to the scores; data may be null
  std::int64_t mask_keys = 0;
  const std::int64_t* mask_firsts = nullptr;  ///< the mask's column of key 0, by batch; null: 0
  HeadRows<const T*> key_mask;                ///< added as well; data may be null
  const std::int64_t* lengths = nullptr;      ///< keys in each batch, 0 to sizes.keys; null: all
  const std::int64_t* positions = nullptr;    ///< of each batch's first query, with `lengths`
  const T* sinks = nullptr;  ///< by query head: e^sink is added to the denominator of the softmax
  EncodedRows encoded_keys;  ///< instead of `keys`
  EncodedRows encoded_values;
  HeadRows<T*> out;
  T* kept = nullptr;  ///< batch × query_heads × queries × keys, for rules.kept

  std::int64_t mask_first(std::int64_t batch) const {
    return mask_firsts != nullptr ? mask_firsts[batch] : 0;
  }
};

/// A half-open range of keys.
struct KeyRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
};

/// The keys that a query may see, regardless of the mask's values.
template <typename T>
KeyRange visible_keys(const AttentionSizes& sizes, const AttentionRules& rules,
                      const AttentionOperands<T>& operands, std::int64_t batch,
                      std::int64_t query) {
  KeyRange range = {0, sizes.keys};
  std::int64_t position = rules.past + query;
  if (operands.mask.data != nullptr)
    range.end = std::min(range.end, operands.mask_keys - operands.mask_first(batch));
  if (operands.lengths != nullptr) {
    range.end = std::min(range.end, operands.lengths[batch]);
    position = operands.lengths[batch] - sizes.queries + query;
    // Padding behind the last query sees what that one sees.
    if (operands.positions != nullptr)
      position = std::min(operands.positions[batch] + query, operands.lengths[batch] - 1);
  }
  if (rules.is_causal) range.end = std::min(range.end, position + 1);
  if (rules.right_window >= 0) range.end = std::min(range.end, position + rules.right_window + 1);
  if (rules.left_window >= 0) range.begin = std::max(range.begin, position - rules.left_window);
  return range.begin < range.end ? range : KeyRange{};
}

/// The smallest range that covers both; empty ranges are ignored.
inline KeyRange join_ranges(KeyRange a, KeyRange b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace ortool::cpu
