// The neural network operators, one line each, sorted by domain, then name.
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/flex_attention.hpp"
#include "libcore/ops/nn/attention/linear_attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/ops/nn/conv/affine_grid.hpp"
#include "libcore/ops/nn/conv/causal_conv_with_state.hpp"
#include "libcore/ops/nn/conv/col2im.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/ops/nn/conv/deform_conv.hpp"
#include "libcore/ops/nn/conv/grid_sample.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/nn/non_max_suppression.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/instance_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/lp_normalization.hpp"
#include "libcore/ops/nn/normalization/lrn.hpp"
#include "libcore/ops/nn/normalization/mean_variance_normalization.hpp"
#include "libcore/ops/nn/pooling/global_pool.hpp"
#include "libcore/ops/nn/pooling/max_unpool.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "libcore/ops/nn/pooling/roi_pool.hpp"
#include "libcore/ops/nn/prelu.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/nn/swiglu.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry nn_entries[] = {
    op_entry<AffineGrid>(),
    op_entry<Attention>(),
    op_entry<AveragePool>(),
    op_entry<BatchNormalization>(),
    op_entry<CausalConvWithState>(),
    op_entry<Celu>(),
    op_entry<Clip>(),
    op_entry<Col2Im>(),
    op_entry<Conv>(),
    op_entry<ConvTranspose>(),
    op_entry<DeformConv>(),
    op_entry<Dropout>(),
    op_entry<Elu>(),
    op_entry<Erf>(),
    op_entry<Gelu>(),
    op_entry<GlobalAveragePool>(),
    op_entry<GlobalLpPool>(),
    op_entry<GlobalMaxPool>(),
    op_entry<GridSample>(),
    op_entry<GroupNormalization>(),
    op_entry<HardSigmoid>(),
    op_entry<HardSwish>(),
    op_entry<Hardmax>(),
    op_entry<InstanceNormalization>(),
    op_entry<LRN>(),
    op_entry<LayerNormalization>(),
    op_entry<LeakyRelu>(),
    op_entry<LinearAttention>(),
    op_entry<LogSoftmax>(),
    op_entry<LpNormalization>(),
    op_entry<LpPool>(),
    op_entry<MaxPool>(),
    op_entry<MaxRoiPool>(),
    op_entry<MaxUnpool>(),
    op_entry<MeanVarianceNormalization>(),
    op_entry<Mish>(),
    op_entry<NonMaxSuppression>(),
    op_entry<PRelu>(),
    op_entry<RMSNormalization>(),
    op_entry<Relu>(),
    op_entry<RoiAlign>(),
    op_entry<RotaryEmbedding>(),
    op_entry<Selu>(),
    op_entry<Shrink>(),
    op_entry<Sigmoid>(),
    op_entry<SimplifiedLayerNormalization>(),
    op_entry<Softmax>(),
    op_entry<Softplus>(),
    op_entry<Softsign>(),
    op_entry<SwiGLU>(),
    op_entry<Swish>(),
    op_entry<Tanh>(),
    op_entry<ThresholdedRelu>(),
    op_entry<FlexAttention>(),
};

}  // namespace

std::span<const OpEntry> nn_operators() {
  return nn_entries;
}

}  // namespace ortool
