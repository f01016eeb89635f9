// The quantisation operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/quantization/byte_lookup.hpp"
#include "libcore/ops/quantization/channel_lookup.hpp"
#include "libcore/ops/quantization/conv_integer.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/dynamic_quantize_linear.hpp"
#include "libcore/ops/quantization/matmul_integer.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/qlinear_matmul.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"
#include "libcore/ops/quantization/quantized_binary.hpp"
#include "libcore/ops/quantization/quantized_conv.hpp"
#include "libcore/ops/quantization/quantized_mean.hpp"
#include "libcore/ops/vendor/dynamic_quantize_lstm.hpp"
#include "libcore/ops/vendor/matmul_n_bits.hpp"

namespace ortool {
namespace {

constexpr OpEntry quantization_entries[] = {
    op_entry<ConvInteger>(),    op_entry<DequantizeLinear>(),    op_entry<DynamicQuantizeLinear>(),
    op_entry<MatMulInteger>(),  op_entry<QLinearConv>(),         op_entry<QLinearMatMul>(),
    op_entry<QuantizeLinear>(), op_entry<DynamicQuantizeLSTM>(), op_entry<MatMulNBits>(),
    op_entry<ByteLookup>(),     op_entry<ChannelLookup>(),       op_entry<QuantizedBinary>(),
    op_entry<QuantizedConv>(),  op_entry<QuantizedMean>(),
};

}  // namespace

std::span<const OpEntry> quantization_operators() {
  return quantization_entries;
}

}  // namespace ortool
