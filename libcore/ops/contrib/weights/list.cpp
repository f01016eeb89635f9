// Contrib operators with block-quantized weights, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/weights/gather_block_quantized.hpp"
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"
#include "libcore/ops/contrib/weights/matmul_coded_weight.hpp"
#include "libcore/ops/contrib/weights/matmul_fp_q4.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits_fusions.hpp"
#include "libcore/ops/contrib/weights/moe.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry weights_contrib_entries[] = {
    op_entry<GatherBlockQuantized>({.set = {own_result_type}, .indices = 1}),
    op_entry<MatMulBlockQuantizedFp4Weight>(),
    op_entry<MatMulBlockQuantizedFp8Weight>(),
    op_entry<MatMulBnb4>(),
    op_entry<MatMulFpQ4>(),
    op_entry<MatMulNBits>(),
    op_entry<MatMulNBitsMlp>(),
    op_entry<MatMulNBitsQkv>(),
    op_entry<MoE>(),
    op_entry<QMoE>(),
};

}  // namespace

std::span<const OpEntry> weights_contrib_operators() {
  return weights_contrib_entries;
}

}  // namespace ortool
