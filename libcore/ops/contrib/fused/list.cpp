// ONNX Runtime's fused operators, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/fused/channels_last.hpp"
#include "libcore/ops/contrib/fused/diffusion.hpp"
#include "libcore/ops/contrib/fused/fused_conv.hpp"
#include "libcore/ops/contrib/fused/fused_gelu.hpp"
#include "libcore/ops/contrib/fused/fused_gemm.hpp"
#include "libcore/ops/contrib/fused/fused_matmul.hpp"
#include "libcore/ops/contrib/fused/skip_normalization.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry fused_contrib_entries[] = {
    op_entry<BiasGelu>({.set = {elementwise}}),
    op_entry<BiasSplitGelu>(),
    op_entry<FastGelu>({.set = {elementwise}}),
    op_entry<FusedConv>({.set = {channels_second}, .filters = 1}),
    op_entry<FusedGemm>(),
    op_entry<FusedMatMul>(),
    op_entry<FusedMatMulActivation>(),
    op_entry<ContribGelu>({.set = {elementwise}}),
    op_entry<GroupNorm>(),
    op_entry<NhwcConv>(),
    op_entry<NhwcFusedConv>(),
    op_entry<NhwcMaxPool>({.set = {quantized}}),
    op_entry<QuickGelu>({.set = {elementwise}}),
    op_entry<SkipGroupNorm>(),
    op_entry<ContribSkipLayerNormalization>(),
    op_entry<SkipSimplifiedLayerNormalization>(),
    op_entry<TransposeMatMul>(),
};

}  // namespace

std::span<const OpEntry> fused_contrib_operators() {
  return fused_contrib_entries;
}

}  // namespace ortool
