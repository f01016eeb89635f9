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

using enum OpTrait;
using Role = QuantizeRole;

constexpr OpEntry nn_entries[] = {
    op_entry<AffineGrid>(),
    op_entry<Attention>(),
    op_entry<AveragePool>(
        {.set = {scales_with_input, channels_second, computes_in_float32}, .role = Role::mean}),
    op_entry<BatchNormalization>({.set = {keeps_axes, computes_in_float32}}),
    op_entry<CausalConvWithState>(),
    op_entry<Celu>({.set = {elementwise}, .role = Role::function}),
    op_entry<Clip>({.set = {elementwise}, .role = Role::clip, .element_inputs = 1}),
    op_entry<Col2Im>(),
    op_entry<Conv>(
        {.set = {channels_second, computes_in_float32}, .role = Role::product, .filters = 1}),
    op_entry<ConvTranspose>({.set = {channels_second, computes_in_float32}, .role = Role::product}),
    op_entry<DeformConv>({.set = {channels_second}, .filters = 1}),
    op_entry<Dropout>({.set = {keeps_axes, random}}),
    op_entry<Elu>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<Erf>({.set = {elementwise}}),
    op_entry<Gelu>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<GlobalAveragePool>(
        {.set = {scales_with_input, channels_second, computes_in_float32}, .role = Role::mean}),
    op_entry<GlobalLpPool>({.set = {channels_second}}),
    op_entry<GlobalMaxPool>(
        {.set = {scales_with_input, channels_second, computes_in_float32}, .role = Role::move}),
    op_entry<GridSample>(),
    op_entry<GroupNormalization>({.set = {computes_in_float32}}),
    op_entry<HardSigmoid>({.set = {elementwise, nonnegative}, .role = Role::function}),
    op_entry<HardSwish>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<Hardmax>(),
    op_entry<InstanceNormalization>({.set = {keeps_axes, computes_in_float32}}),
    op_entry<LRN>({.set = {channels_second, computes_in_float32}}),
    op_entry<LayerNormalization>({.set = {computes_in_float32}}),
    op_entry<LeakyRelu>(
        {.set = {elementwise, keeps_zero, scales_with_input}, .role = Role::function}),
    op_entry<LinearAttention>(),
    op_entry<LogSoftmax>({.set = {computes_in_float32}}),
    op_entry<LpNormalization>(),
    op_entry<LpPool>({.set = {channels_second}}),
    op_entry<MaxPool>(
        {.set = {scales_with_input, channels_second, computes_in_float32}, .role = Role::move}),
    op_entry<MaxRoiPool>(),
    op_entry<MaxUnpool>(),
    op_entry<MeanVarianceNormalization>({.set = {keeps_axes}}),
    op_entry<Mish>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<NonMaxSuppression>(),
    op_entry<PRelu>({.set = {elementwise, unidirectional, scales_with_input}, .role = Role::mean}),
    op_entry<RMSNormalization>({.set = {computes_in_float32}}),
    op_entry<Relu>({.set = {elementwise, idempotent, nonnegative, keeps_zero, scales_with_input},
                    .role = Role::clip}),
    op_entry<RoiAlign>(),
    op_entry<RotaryEmbedding>(),
    op_entry<Selu>({.set = {elementwise}, .role = Role::function}),
    op_entry<Shrink>({.set = {elementwise}}),
    op_entry<Sigmoid>({.set = {elementwise, nonnegative}, .role = Role::function}),
    op_entry<SimplifiedLayerNormalization>(),
    op_entry<Softmax>({.set = {nonnegative, computes_in_float32}}),
    op_entry<Softplus>({.set = {elementwise}, .role = Role::function}),
    op_entry<Softsign>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<SwiGLU>(),
    op_entry<Swish>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<Tanh>({.set = {elementwise, keeps_zero}, .role = Role::function}),
    op_entry<ThresholdedRelu>({.set = {elementwise}, .role = Role::function}),
    op_entry<FlexAttention>(),
};

}  // namespace

std::span<const OpEntry> nn_operators() {
  return nn_entries;
}

}  // namespace ortool
