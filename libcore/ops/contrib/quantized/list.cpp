// Quantized contrib operators, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/quantized/contrib_qlinear_conv.hpp"
#include "libcore/ops/contrib/quantized/contrib_quantize_linear.hpp"
#include "libcore/ops/contrib/quantized/dynamic_quantize_lstm.hpp"
#include "libcore/ops/contrib/quantized/gemm_float8.hpp"
#include "libcore/ops/contrib/quantized/integer_arithmetic.hpp"
#include "libcore/ops/contrib/quantized/qlinear_concat.hpp"
#include "libcore/ops/contrib/quantized/qlinear_elementwise.hpp"
#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"
#include "libcore/ops/contrib/quantized/qlinear_softmax.hpp"
#include "libcore/ops/contrib/quantized/qordered.hpp"
#include "libcore/ops/contrib/quantized/qordered_attention.hpp"
#include "libcore/ops/contrib/quantized/quantized_products.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry quantized_contrib_entries[] = {
    op_entry<ContribDequantizeLinear>({.set = {keeps_axes, own_result_type, quantized}}),
    op_entry<DequantizeWithOrder>({.set = {own_result_type, quantized}}),
    op_entry<DynamicQuantizeLSTM>(),
    op_entry<DynamicQuantizeMatMul>({.set = {quantized, integer_product}}),
    op_entry<GemmFloat8>({.set = {own_result_type}}),
    op_entry<MatMulInteger16>({.set = {own_result_type}}),
    op_entry<MatMulIntegerToFloat>({.set = {own_result_type, quantized, integer_product}}),
    op_entry<MulInteger>({.set = {own_result_type, quantized}}),
    op_entry<QGemm>({.set = {own_result_type, quantized, integer_product}}),
    op_entry<QLinearAdd>({.set = {quantized}}),
    op_entry<QLinearAveragePool>({.set = {quantized}}),
    op_entry<QLinearConcat>({.set = {own_result_type, quantized}}),
    op_entry<ContribQLinearConv>({.set = {quantized, integer_product}}),
    op_entry<QLinearGlobalAveragePool>({.set = {quantized}}),
    op_entry<QLinearLeakyRelu>({.set = {keeps_axes, quantized}}),
    op_entry<QLinearMul>({.set = {quantized}}),
    op_entry<QLinearReduceMean>({.set = {quantized}}),
    op_entry<QLinearSigmoid>({.set = {keeps_axes, quantized}}),
    op_entry<QLinearSoftmax>({.set = {keeps_axes, quantized}}),
    op_entry<QLinearWhere>({.set = {own_result_type, quantized}}),
    op_entry<QOrderedAttention>({.set = {quantized, integer_product}}),
    op_entry<QOrderedGelu>({.set = {quantized}}),
    op_entry<QOrderedLayerNormalization>({.set = {quantized}}),
    op_entry<QOrderedLongformerAttention>({.set = {quantized, integer_product}}),
    op_entry<QOrderedMatMul>({.set = {quantized, integer_product}}),
    op_entry<ContribQuantizeLinear>({.set = {keeps_axes, own_result_type, quantized}}),
    op_entry<QuantizeWithOrder>({.set = {own_result_type, quantized}}),
    op_entry<ReduceSumInteger>({.set = {own_result_type, quantized}}),
};

}  // namespace

std::span<const OpEntry> quantized_contrib_operators() {
  return quantized_contrib_entries;
}

}  // namespace ortool
