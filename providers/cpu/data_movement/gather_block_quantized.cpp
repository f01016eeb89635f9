// Kernels for com.microsoft.GatherBlockQuantized: slices of block-quantized data, dequantized.
#include "libcore/ops/contrib/weights/gather_block_quantized.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/data_movement/gather_quantized.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/tensor/float_formats.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t gathered_scales = 2;
constexpr std::size_t gathered_zeros = 3;

/// The value of each code. Without zero points that of uint8 data is the middle code.
std::array<float, 256> values_of_codes(DataType type, int bits, bool has_zeros) {
  std::array<float, 256> values = {};
  const std::int64_t count = std::int64_t{1} << bits;
  for (std::int64_t i = 0; i < count; ++i) {
    auto& value = values[static_cast<std::size_t>(i)];
    if (is_floating_point(type)) {
      value = static_cast<float>(decode_float(type, static_cast<std::uint64_t>(i)));
      continue;
    }
    const std::int64_t wrapped = type == DataType::int4 && i >= count / 2 ? i - count : i;
    const bool is_centered = type == DataType::uint8 && !has_zeros;
    value = static_cast<float>(wrapped - (is_centered ? count / 2 : 0));
  }
  return values;
}

PreparedPtr prepare_gather_block_quantized(const GatherBlockQuantized& op,
                                           const PrepareContext& context) {
  const Operand& data = context.inputs[0];
  const bool is_packed = data.type == DataType::uint8;
  const auto bits = static_cast<int>(is_packed ? op.bits : element_bits(data.type));
  const std::int64_t rank = data.shape.rank();
  std::vector<std::int64_t> shape(data.shape.begin(), data.shape.end());
  if (is_packed) shape.back() *= 8 / bits;
  const Shape& scales = context.inputs[gathered_scales].shape;
  std::vector<std::int64_t> strides(static_cast<std::size_t>(rank));
  std::int64_t stride = 1;
  for (std::int64_t i = rank; i-- > 0;) {
    strides[static_cast<std::size_t>(i)] = scales[i] == 1 ? 0 : stride;
    stride *= scales[i];
  }
  QuantizedData all;
  all.gather_axis = normalize_axis(op.gather_axis, rank);
  all.quantize_axis = normalize_axis(op.quantize_axis, rank);
  all.block_size = op.block_size > 0 ? op.block_size
                                     : std::max<std::int64_t>(
                                           1, shape[static_cast<std::size_t>(all.quantize_axis)]);
  all.bits = bits;
  const std::int64_t row_codes = scales[rank - 1];
  all.zero_row_codes = is_packed ? (row_codes * bits + 7) / 8 * (8 / bits) : row_codes;
  const auto values = values_of_codes(data.type, bits, context.has_input(gathered_zeros));
  const auto count = static_cast<std::size_t>(context.inputs[1].shape.element_count());
  const bool has_wide_indices = context.inputs[1].type == DataType::int64;
  return make_prepared({}, [=](const RunContext& run) {
    QuantizedData given = all;
    given.shape = shape;
    given.scale_strides = strides;
    given.table = values.data();
    given.codes = run.input<std::uint8_t>(0);
    given.scales = run.input<float>(gathered_scales);
    given.zeros = run.input<std::uint8_t>(gathered_zeros);
    auto* const out = run.output<float>(0);
    if (has_wide_indices) {
      gather_quantized(given, std::span(run.input<std::int64_t>(1), count), out, run.workers());
    } else {
      gather_quantized(given, std::span(run.input<std::int32_t>(1), count), out, run.workers());
    }
  });
}

KernelPtr compile_gather_block_quantized(const NodeView& view, const KernelRow& row,
                                         const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<GatherBlockQuantized>(view.node())](const PrepareContext& context) {
        return prepare_gather_block_quantized(op, context);
      });
}

KernelPtr compile_fp16_gather_block_quantized(const NodeView& view, const KernelRow& row,
                                              const CompileContext& context) {
  return make_fp16_kernel(compile_gather_block_quantized(view, row, context), row.isa);
}

bool has_float32_scales(const NodeView& view) {
  return view.input_type(gathered_scales) == DataType::float32;
}

bool has_fp16_scales(const NodeView& view) {
  return !has_float32_scales(view);
}

constexpr auto gather_block_quantized_rows =
    join_rows(portable_row("gather_block_quantized", "GatherBlockQuantized", "float32 scales",
                           has_float32_scales, compile_gather_block_quantized, contrib_domain),
              isa_rows<"gather_block_quantized_half">(
                  "GatherBlockQuantized", "float16, bfloat16 scales", has_fp16_scales,
                  compile_fp16_gather_block_quantized, contrib_domain));

}  // namespace

std::span<const KernelRow> gather_block_quantized_kernels() {
  return gather_block_quantized_rows;
}

}  // namespace ortool::cpu
