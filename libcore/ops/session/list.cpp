// Session-only operators: ONNX operators repeated in ortool's own domain, so that a session can use
// them in models of older opsets, and fused normalizations that ONNX does not have.
#include <array>

#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

static_assert(own_opset == newest_opset);

/// The same operator in another domain.
template <typename Op>
OpEntry session_form() {
  static const OpSchema schema = {Op::schema.name, own_domain, Op::schema.versions};
  OpEntry entry = op_entry<Op>();
  entry.schema = &schema;
  return entry;
}

}  // namespace

std::span<const OpEntry> session_operators() {
  static const std::array<OpEntry, 11> entries = {
      session_form<Attention>(),
      op_entry<EmbedLayerNormalization>(),
      session_form<Gelu>(),
      session_form<GroupNormalization>(),
      session_form<HardSwish>(),
      session_form<LayerNormalization>(),
      session_form<Mish>(),
      session_form<RMSNormalization>(),
      session_form<RotaryEmbedding>(),
      op_entry<SkipLayerNormalization>(),
      session_form<Swish>(),
  };
  return entries;
}

}  // namespace ortool
