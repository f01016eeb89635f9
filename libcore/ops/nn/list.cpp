// The neural network operators, one line each, sorted by domain, then name.
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/batch_normalization.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/ops/nn/conv.hpp"
#include "libcore/ops/nn/conv_transpose.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/nn/global_pool.hpp"
#include "libcore/ops/nn/group_normalization.hpp"
#include "libcore/ops/nn/instance_normalization.hpp"
#include "libcore/ops/nn/layer_normalization.hpp"
#include "libcore/ops/nn/lp_normalization.hpp"
#include "libcore/ops/nn/lrn.hpp"
#include "libcore/ops/nn/mean_variance_normalization.hpp"
#include "libcore/ops/nn/pool.hpp"
#include "libcore/ops/nn/prelu.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry nn_entries[] = {
    op_entry<AveragePool>(),
    op_entry<BatchNormalization>(),
    op_entry<Celu>(),
    op_entry<Clip>(),
    op_entry<Conv>(),
    op_entry<ConvTranspose>(),
    op_entry<Dropout>(),
    op_entry<Elu>(),
    op_entry<Erf>(),
    op_entry<Gelu>(),
    op_entry<GlobalAveragePool>(),
    op_entry<GlobalLpPool>(),
    op_entry<GlobalMaxPool>(),
    op_entry<GroupNormalization>(),
    op_entry<HardSigmoid>(),
    op_entry<HardSwish>(),
    op_entry<Hardmax>(),
    op_entry<InstanceNormalization>(),
    op_entry<LRN>(),
    op_entry<LayerNormalization>(),
    op_entry<LeakyRelu>(),
    op_entry<LogSoftmax>(),
    op_entry<LpNormalization>(),
    op_entry<LpPool>(),
    op_entry<MaxPool>(),
    op_entry<MeanVarianceNormalization>(),
    op_entry<Mish>(),
    op_entry<PRelu>(),
    op_entry<RMSNormalization>(),
    op_entry<Relu>(),
    op_entry<Selu>(),
    op_entry<Shrink>(),
    op_entry<Sigmoid>(),
    op_entry<Softmax>(),
    op_entry<Softplus>(),
    op_entry<Softsign>(),
    op_entry<Swish>(),
    op_entry<Tanh>(),
    op_entry<ThresholdedRelu>(),
};

}  // namespace

std::span<const OpEntry> nn_operators() {
  return nn_entries;
}

}  // namespace ortool
