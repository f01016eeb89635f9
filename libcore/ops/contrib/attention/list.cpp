// The attention operators of com.microsoft, and those around them, one line each, sorted by domain,
// then name.
#include "libcore/ops/contrib/attention/attention.hpp"
#include "libcore/ops/contrib/attention/decoder_attention.hpp"
#include "libcore/ops/contrib/attention/embed_layer_normalization.hpp"
#include "libcore/ops/contrib/attention/gated_delta_net.hpp"
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/ops/contrib/attention/hyper_connection.hpp"
#include "libcore/ops/contrib/attention/linear_attention.hpp"
#include "libcore/ops/contrib/attention/longformer_attention.hpp"
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"
#include "libcore/ops/contrib/attention/packed_sequences.hpp"
#include "libcore/ops/contrib/attention/relative_position_bias.hpp"
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"
#include "libcore/ops/contrib/attention/self_attention.hpp"
#include "libcore/ops/contrib/attention/sparse_attention.hpp"
#include "libcore/ops/contrib/attention/varlen_causal_conv.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry attention_contrib_entries[] = {
    op_entry<ContribAttention>(),
    op_entry<BranchwiseRMSNorm>(),
    op_entry<ContribCausalConvWithState>(),
    op_entry<DecoderAttention>(),
    op_entry<DecoderMaskedMultiHeadAttention>(),
    op_entry<DecoderMaskedSelfAttention>(),
    op_entry<ContribEmbedLayerNormalization>(),
    op_entry<EngramGate>(),
    op_entry<GatedAdd>(),
    op_entry<GatedDeltaNet>(),
    op_entry<GatedRMSNorm>(),
    op_entry<GatedRelativePositionBias>(),
    op_entry<GemmaRotaryEmbedding>(),
    op_entry<GroupQueryAttention>(),
    op_entry<HyperConnectionPostMix>(),
    op_entry<HyperConnectionPreMix>(),
    op_entry<ContribLinearAttention>(),
    op_entry<LinearAttentionGate>(),
    op_entry<LongformerAttention>(),
    op_entry<MRotaryEmbedding>(),
    op_entry<MultiHeadAttention>(),
    op_entry<PackedAttention>(),
    op_entry<PackedMultiHeadAttention>(),
    op_entry<QAttention>(),
    op_entry<QEmbedLayerNormalization>(),
    op_entry<RelativePositionBias>(),
    op_entry<RemovePadding>(),
    op_entry<RestorePadding>(),
    op_entry<ContribRotaryEmbedding>(),
    op_entry<SparseAttention>(),
    op_entry<VarlenCausalConvWithState>(),
    op_entry<SelfAttention>(),
};

}  // namespace

std::span<const OpEntry> attention_contrib_operators() {
  return attention_contrib_entries;
}

}  // namespace ortool
