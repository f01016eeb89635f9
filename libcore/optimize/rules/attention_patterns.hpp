// Shared parts of the Attention rules: supported forms, patterns and construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// Queries, keys and values with a head axis: batch, heads, length, size.
inline constexpr std::int64_t heads_rank = 4;

/// Whether it has no windows, lengths, other precision, or output of its scores.
bool is_plain_attention(const Node& attention);

/// A plain Attention, bound to "attention"; its mask to "mask" and its cache to "past_key" and
/// "past_value", if present.
Pattern plain_attention(Pattern q, Pattern k, Pattern v);

/// What a rule about `plain_attention` also replaces: the cache outputs.
std::vector<std::string_view> attention_caches();

/// Operands that replace those of the matched Attention.
struct AttentionInputs {
  Value* q = nullptr;
  Value* k = nullptr;
  Value* v = nullptr;
  Value* mask = nullptr;
  Value* past_key = nullptr;
  Value* past_value = nullptr;

  /// The values bound to "q", "k", "v", "mask", "past_key" and "past_value".
  static AttentionInputs of(const Match& match);
};

/// The matched Attention with other inputs and changed attributes. Its cache outputs are produced
/// by the new node.
Value& add_attention(Replacement& replacement, const AttentionInputs& inputs,
                     const NewAttributes& changed = {});

/// The same when the old node has no cache outputs, with those requested.
struct AttentionReplacement {
  Value* result = nullptr;
  Value* present_key = nullptr;
  Value* present_value = nullptr;
};
AttentionReplacement add_caching_attention(Replacement& replacement, const AttentionInputs& inputs,
                                           const NewAttributes& changed = {});

}  // namespace ortool
