// The quantization operators, one line each, sorted by domain, then name.
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

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry quantization_entries[] = {
    op_entry<ConvInteger>({.set = {channels_second, quantized, integer_product}, .filters = 1}),
    op_entry<DequantizeLinear>({.set = {keeps_axes, own_result_type, quantized}}),
    op_entry<DynamicQuantizeLinear>({.set = {own_result_type, quantized}}),
    op_entry<MatMulInteger>({.set = {quantized, integer_product}}),
    op_entry<QLinearConv>({.set = {channels_second, quantized, integer_product}, .filters = 3}),
    op_entry<QLinearMatMul>({.set = {quantized, integer_product}}),
    op_entry<QuantizeLinear>({.set = {keeps_axes, own_result_type, quantized}}),
    op_entry<ByteLookup>(),
    op_entry<ChannelLookup>(),
    op_entry<QuantizedBinary>(),
    op_entry<QuantizedConv>(),
    op_entry<QuantizedMean>(),
};

}  // namespace

std::span<const OpEntry> quantization_operators() {
  return quantization_entries;
}

}  // namespace ortool
