// Kernels for the internal int8 operators QuantizedBinary and ByteLookup.
#include <array>
#include <vector>

#include "kernels/cpu/elementwise/binary_int8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/byte_lookup.hpp"
#include "libcore/ops/quantization/quantized_binary.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/int8_layouts.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/nchwc_shape.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

/// The scale at `input` and the zero point at the input after it.
Int8Scale scale_of(const RunContext& run, std::size_t input, DataType type) {
  const std::uint8_t flip = type == DataType::int8 ? 128 : 0;
  return {flip, flipped_zero(type, run.input<std::uint8_t>(input + 1), 0, flip),
          *run.input<float>(input)};
}

Int8BinaryOp int8_operation(ortool::QuantizedBinary::Operation operation) {
  switch (operation) {
    case ortool::QuantizedBinary::Operation::subtract:
      return Int8BinaryOp::subtract;
    case ortool::QuantizedBinary::Operation::multiply:
      return Int8BinaryOp::multiply;
    default:
      return Int8BinaryOp::add;
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
    const Int8Bounds bounds = {op.low, op.high};
    return make_prepared(
        {.overwritable = overwritable},
        [=, operation = int8_operation(op.operation),
         plan = make_broadcast_plan(a.dimensions(), b.dimensions())](const RunContext& run) {
          Int8BinaryScales scales;
          scales.a = scale_of(run, 1, a_type);
          scales.b = scale_of(run, 4, b_type);
          scales.out = *run.input<float>(6);
          scales.range = int8_range(bounds, flipped_zero(y_type, run.input<std::uint8_t>(7), 0, 0));
          int8_binary(operation, run.input<std::uint8_t>(0), run.input<std::uint8_t>(3),
                      run.output<std::uint8_t>(0), scales, plan, isa, run.workers());
        });
  });
}

KernelPtr compile_int8_lookup(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const Operand& in = context.inputs[0];
    const std::int64_t count = stored_elements(in.shape, in.layout);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      byte_lookup(run.input<std::uint8_t>(0), run.input<std::uint8_t>(1), count,
                  run.output<std::uint8_t>(0), isa, run.workers());
    });
  });
}

bool accepts_bytes(const NodeView&) {
  return true;
}

/// Images with the same known number of channels, or one image and a scalar, can stay in NCHWc.
std::vector<LayoutChoice> quantized_binary_layouts(const NodeView& view, const KernelRow&) {
  constexpr std::size_t operands[] = {0, 3};
  std::vector<std::size_t> images;
  std::int64_t channels = -1;
  std::size_t rank = 0;
  for (const std::size_t input : operands) {
    const Value& value = *view.node().input(static_cast<std::int64_t>(input));
    const Tensor* constant = view.constant(&value);
    if (constant != nullptr && constant->element_count() == 1 && constant->shape().rank() <= 1)
      continue;
    if (!is_int8_image(value)) return {};
    const PartialShape& shape = value.type().shape;
    const bool is_other = channels != (*shape)[1].number() || rank != shape->size();
    if (channels >= 0 && is_other) return {};
    channels = (*shape)[1].number();
    rank = shape->size();
    images.push_back(input);
  }
  if (images.empty()) return {};
  return int8_layout_choices(view, images);
}

std::vector<LayoutChoice> int8_lookup_layouts(const NodeView& view, const KernelRow&) {
  if (!is_int8_image(*view.node().input(0))) return {};
  return int8_layout_choices(view, {0});
}

constexpr KernelRow nchwc_int8_row(std::string_view name, std::string_view op_type, Isa isa,
                                   decltype(KernelRow::compile) compile,
                                   decltype(KernelRow::layouts) layouts) {
  return {name, "", op_type, isa, "int8, uint8", accepts_bytes, compile, nullptr, layouts};
}

constexpr auto own_rows() {
  auto rows =
      join_rows(int8_isa_rows<"quantized_binary">("QuantizedBinary", "int8, uint8", accepts_bytes,
                                                  compile_quantized_binary),
                std::array<KernelRow, 6>{
                    nchwc_int8_row("quantized_binary_nchwc_amx", "QuantizedBinary", Isa::amx,
                                   compile_quantized_binary, quantized_binary_layouts),
                    nchwc_int8_row("quantized_binary_nchwc_avx512", "QuantizedBinary", Isa::avx512,
                                   compile_quantized_binary, quantized_binary_layouts),
                    nchwc_int8_row("quantized_binary_nchwc_avx2", "QuantizedBinary", Isa::avx2,
                                   compile_quantized_binary, quantized_binary_layouts),
                    nchwc_int8_row("byte_lookup_nchwc_amx", "ByteLookup", Isa::amx,
                                   compile_int8_lookup, int8_lookup_layouts),
                    nchwc_int8_row("byte_lookup_nchwc_avx512", "ByteLookup", Isa::avx512,
                                   compile_int8_lookup, int8_lookup_layouts),
                    nchwc_int8_row("byte_lookup_nchwc_avx2", "ByteLookup", Isa::avx2,
                                   compile_int8_lookup, int8_lookup_layouts)},
                int8_isa_rows<"byte_lookup">("ByteLookup", "int8, uint8", accepts_bytes,
                                             compile_int8_lookup));
  for (KernelRow& row : rows) row.domain = "ortool";
  return rows;
}

constexpr auto quantized_elementwise_rows = own_rows();

}  // namespace

std::span<const KernelRow> elementwise_int8_kernels() {
  return quantized_elementwise_rows;
}

}  // namespace ortool::cpu
