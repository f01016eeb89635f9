// What the rules about Attention share: which nodes they understand, and how they write them anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// Queries, keys and values with an axis for the heads: batch, heads, length, size.
inline constexpr std::int64_t heads_rank = 4;

/// Whether it is without windows, lengths, another precision, or an output of its scores.
bool is_plain_attention(const Node& attention);

/// An Attention that is plain, bound to "attention"; its mask to "mask" and its cache to "past_key"
/// and "past_value", where it has them.
Pattern plain_attention(Pattern q, Pattern k, Pattern v);

/// What a rule about `plain_attention` also replaces: the cache it gives out.
std::vector<std::string_view> attention_caches();

/// Values that take the place of those of the matched Attention.
struct AttentionInputs {
  Value* q = nullptr;
  Value* k = nullptr;
  Value* v = nullptr;
  Value* mask = nullptr;
  Value* past_key = nullptr;
  Value* past_value = nullptr;

  /// What the match found for "q", "k", "v", "mask", "past_key" and "past_value".
  static AttentionInputs of(const Match& match);
};

/// The matched Attention with other inputs and with changed attributes. Its caches go on as outputs
/// of the new one.
Value& add_attention(Replacement& replacement, const AttentionInputs& inputs,
                     const NewAttributes& changed = {});

/// The same where the old one has no caches to give out, with those that are wanted.
struct MadeAttention {
  Value* result = nullptr;
  Value* present_key = nullptr;
  Value* present_value = nullptr;
};
MadeAttention add_caching_attention(Replacement& replacement, const AttentionInputs& inputs,
                                    const NewAttributes& changed = {});

}  // namespace ortool
