// com.ms.internal.nhwc: ONNX operators on images with the channels last, as ONNX Runtime's layout
// transformation writes them for execution providers, one line each, sorted by name.
#include <array>

#include "libcore/ops/contrib/fused/channels_last.hpp"
#include "libcore/ops/contrib/fused/channels_last_context.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/ops/nn/conv/grid_sample.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/nn/normalization/instance_normalization.hpp"
#include "libcore/ops/nn/normalization/lrn.hpp"
#include "libcore/ops/nn/pooling/global_pool.hpp"
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/tensor/layout/depth_to_space.hpp"
#include "libcore/ops/tensor/resize.hpp"

namespace ortool {
namespace {

/// ONNX's operator with the channels of its image last.
template <typename Op>
OpEntry provider_nhwc_entry() {
  static const OpSchema schema = {Op::schema.name, provider_nhwc_domain, Op::schema.versions};
  OpEntry entry = op_entry<Op>();
  entry.schema = &schema;
  entry.infer = [](const Node& node, const OpVersion& version, InferContext& context) {
    ChannelsLastContext planes(context, {0});
    read_op<Op>(node, version).infer(planes);
  };
  return entry;
}

/// Resize takes its scales and sizes in the order of the image's axes.
OpEntry resize_entry() {
  OpEntry entry = provider_nhwc_entry<Resize>();
  entry.infer = op_entry<Resize>().infer;
  return entry;
}

}  // namespace

std::span<const OpEntry> provider_nhwc_operators() {
  static const std::array<OpEntry, 16> entries = {
      provider_nhwc_entry<AveragePool>(),
      provider_nhwc_entry<BatchNormalization>(),
      op_entry<ProviderNhwcConv>(),
      provider_nhwc_entry<ConvTranspose>(),
      provider_nhwc_entry<DepthToSpace>(),
      provider_nhwc_entry<GlobalAveragePool>(),
      provider_nhwc_entry<GlobalLpPool>(),
      provider_nhwc_entry<GlobalMaxPool>(),
      provider_nhwc_entry<GridSample>(),
      provider_nhwc_entry<InstanceNormalization>(),
      provider_nhwc_entry<LRN>(),
      provider_nhwc_entry<LpPool>(),
      provider_nhwc_entry<MaxPool>(),
      provider_nhwc_entry<QLinearConv>(),
      resize_entry(),
      provider_nhwc_entry<SpaceToDepth>(),
  };
  return entries;
}

}  // namespace ortool
