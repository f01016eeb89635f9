// The attention operators of com.microsoft, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"
#include "libcore/ops/contrib/attention/self_attention.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry attention_contrib_entries[] = {
    op_entry<DecoderMaskedMultiHeadAttention>(),
    op_entry<GroupQueryAttention>(),
    op_entry<MRotaryEmbedding>(),
    op_entry<MultiHeadAttention>(),
    op_entry<ContribRotaryEmbedding>(),
    op_entry<SelfAttention>(),
};

}  // namespace

std::span<const OpEntry> attention_contrib_operators() {
  return attention_contrib_entries;
}

}  // namespace ortool
