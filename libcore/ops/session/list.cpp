// Session-only operators: ONNX operators repeated in ortool's own domain, so that a session can use
// them in models of older opsets, fused normalizations that ONNX does not have, and parts of a model that a
// provider computes as a whole.
#include <array>

#include "libcore/ops/generator/range.hpp"
#include "libcore/ops/math/is_inf.hpp"
#include "libcore/ops/math/is_nan.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/nn/conv/deform_conv.hpp"
#include "libcore/ops/nn/conv/grid_sample.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"
#include "libcore/ops/nn/pooling/roi_pool.hpp"
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"
#include "libcore/ops/session/subgraph.hpp"
#include "libcore/ops/signal/dft.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "libcore/ops/tensor/indexing/gather_nd.hpp"
#include "libcore/ops/tensor/indexing/unique.hpp"
#include "libcore/ops/tensor/layout/squeeze.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/trilu.hpp"

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
  static const std::array<OpEntry, 30> entries = {
      session_entry<Attention>(),
      session_entry<Cast>(),
      session_entry<DFT>(),
      session_entry<DeformConv>(),
      session_entry<DequantizeLinear>(),
      session_entry<Dropout>(),
      op_entry<EmbedLayerNormalization>(),
      session_entry<GatherND>(),
      session_entry<Gelu>(),
      session_entry<GridSample>(),
      session_entry<GroupNormalization>(),
      session_entry<HardSwish>(),
      session_entry<IsInf>(),
      session_entry<IsNaN>(),
      session_entry<LayerNormalization>(),
      session_entry<Mish>(),
      session_entry<Pad>(),
      session_entry<QuantizeLinear>(),
      session_entry<RMSNormalization>(),
      session_entry<Range>(),
      session_entry<Resize>(),
      session_entry<RoiAlign>(),
      session_entry<RotaryEmbedding>(),
      op_entry<SkipLayerNormalization>(),
      session_entry<Slice>(),
      op_entry<Subgraph>(),
      session_entry<Swish>(),
      session_entry<Trilu>(),
      session_entry<Unique>(),
      session_entry<Unsqueeze>(),
  };
  return entries;
}

}  // namespace ortool
