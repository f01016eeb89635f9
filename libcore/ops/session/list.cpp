// Session-only operators: ONNX operators repeated in ortool's own domain, so that a session can use
// them in models of older opsets, and fused normalizations that ONNX does not have.
#include <array>

#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/nn/conv/deform_conv.hpp"
#include "libcore/ops/nn/conv/grid_sample.hpp"
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"
#include "libcore/ops/nn/pooling/roi_pool.hpp"
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"
#include "libcore/ops/tensor/cast.hpp"

namespace ortool {
namespace {

static_assert(own_opset == newest_opset);

/// The same operator in another domain.
template <typename Op>
OpEntry session_entry() {
  static const OpSchema schema = {Op::schema.name, own_domain, Op::schema.versions};
  OpEntry entry = op_entry<Op>();
  entry.schema = &schema;
  return entry;
}

}  // namespace

std::span<const OpEntry> session_operators() {
  static const std::array<OpEntry, 17> entries = {
      session_entry<Attention>(),
      session_entry<Cast>(),
      session_entry<DeformConv>(),
      session_entry<DequantizeLinear>(),
      op_entry<EmbedLayerNormalization>(),
      session_entry<Gelu>(),
      session_entry<GridSample>(),
      session_entry<GroupNormalization>(),
      session_entry<HardSwish>(),
      session_entry<LayerNormalization>(),
      session_entry<Mish>(),
      session_entry<QuantizeLinear>(),
      session_entry<RMSNormalization>(),
      session_entry<RoiAlign>(),
      session_entry<RotaryEmbedding>(),
      op_entry<SkipLayerNormalization>(),
      session_entry<Swish>(),
  };
  return entries;
}

}  // namespace ortool
