// Kernel rows of the session's own operators on bytes: QuantizedBinary and ByteLookup.
#include <array>
#include <vector>

#include "kernels/cpu/byte_binary.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/byte_lookup.hpp"
#include "libcore/ops/quantization/quantized_binary.hpp"
#include "providers/cpu/byte_numbers.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"
#include "providers/cpu/stored_shape.hpp"

namespace ortool::cpu {
namespace {

/// The scale at `input` and the zero point behind it.
ByteScale scale_of(const RunContext& run, std::size_t input, DataType type) {
  const std::uint8_t flip = type == DataType::int8 ? 128 : 0;
  return {flip, flipped_zero(type, run.input<std::uint8_t>(input + 1), 0, flip),
          *run.input<float>(input)};
}

ByteBinary byte_operation(ortool::QuantizedBinary::Operation operation) {
  switch (operation) {
    case ortool::QuantizedBinary::Operation::subtract:
      return ByteBinary::subtract;
    case ortool::QuantizedBinary::Operation::multiply:
      return ByteBinary::multiply;
    default:
      return ByteBinary::add;
  }
}

KernelPtr compile_quantized_binary(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  return make_kernel(row.name, [op = read_op<ortool::QuantizedBinary>(view.node()),
                                isa = row.isa](const PrepareContext& context) {
    const Shape a = stored_shape(context.inputs[0].shape, context.inputs[0].layout);
    const Shape b = stored_shape(context.inputs[3].shape, context.inputs[3].layout);
    const Shape y = stored_shape(context.outputs[0].shape, context.outputs[0].layout);
    OperandSet overwritable;
    if (a == y) overwritable.add(0);
    if (b == y) overwritable.add(3);
    const DataType a_type = context.inputs[0].type;
    const DataType b_type = context.inputs[3].type;
    const DataType y_type = context.inputs[7].type;
    const ByteLimits limits{static_cast<std::int32_t>(op.low), static_cast<std::int32_t>(op.high)};
    return make_prepared(
        {.overwritable = overwritable},
        [=, operation = byte_operation(op.operation),
         plan = make_broadcast_plan(a.dimensions(), b.dimensions())](const RunContext& run) {
          ByteBinaryScales scales;
          scales.a = scale_of(run, 1, a_type);
          scales.b = scale_of(run, 4, b_type);
          scales.out = *run.input<float>(6);
          scales.range = limits.range(flipped_zero(y_type, run.input<std::uint8_t>(7), 0, 0));
          byte_binary(operation, run.input<std::uint8_t>(0), run.input<std::uint8_t>(3),
                      run.output<std::uint8_t>(0), scales, plan, isa, run.workers());
        });
  });
}

KernelPtr compile_byte_lookup(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [count](const RunContext& run) {
      byte_lookup(run.input<std::uint8_t>(0), run.input<std::uint8_t>(1), count,
                  run.output<std::uint8_t>(0), run.workers());
    });
  });
}

bool accepts_bytes(const NodeView&) {
  return true;
}

/// Images of the same known channels on both sides can stay blocked.
std::vector<LayoutChoice> quantized_binary_layouts(const NodeView& view, const KernelRow&) {
  std::int64_t channels = -1;
  std::size_t rank = 0;
  for (const std::int64_t input : {0, 3}) {
    const Value& value = *view.node().input(input);
    const PartialShape& shape = value.type().shape;
    if (value.is_constant() || !shape || shape->size() < 3 || !(*shape)[1].is_known()) return {};
    const bool is_other = channels != (*shape)[1].number() || rank != shape->size();
    if (channels >= 0 && is_other) return {};
    channels = (*shape)[1].number();
    rank = shape->size();
  }
  // Equal, but blocked is what the search shall begin with.
  constexpr double margin_ns = 1;
  std::vector<LayoutChoice> choices(2);
  choices[0].nanoseconds = margin_ns;
  choices[1].inputs.resize(view.inputs().size(), Layout::plain);
  choices[1].inputs[0] = choices[1].inputs[3] = Layout::blocked16;
  choices[1].outputs = {Layout::blocked16};
  return choices;
}

constexpr auto own_rows() {
  auto rows = join_rows(
      byte_level_rows<"quantized_binary">("QuantizedBinary", "int8, uint8", accepts_bytes,
                                          compile_quantized_binary),
      std::array<KernelRow, 2>{
          {{"quantized_binary_blocked_amx", "", "QuantizedBinary", Isa::amx, "int8, uint8",
            accepts_bytes, compile_quantized_binary, nullptr, quantized_binary_layouts},
           {"quantized_binary_blocked_avx512", "", "QuantizedBinary", Isa::avx512, "int8, uint8",
            accepts_bytes, compile_quantized_binary, nullptr, quantized_binary_layouts}}},
      plain_row("byte_lookup", "ByteLookup", "int8, uint8", accepts_bytes, compile_byte_lookup));
  for (KernelRow& row : rows) row.domain = "ortool";
  return rows;
}

constexpr auto quantized_elementwise_rows = own_rows();

}  // namespace

std::span<const KernelRow> quantized_elementwise_kernels() {
  return quantized_elementwise_rows;
}

}  // namespace ortool::cpu
