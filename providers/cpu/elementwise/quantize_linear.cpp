// Kernels for QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "libcore/ops/quantization/quantize_linear.hpp"

#include "kernels/cpu/elementwise/quantize_linear.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/dynamic_quantize_linear.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

ScaleLayout scale_layout(const Granularity& granularity, const Shape& data, const Shape& scales) {
  ScaleLayout layout;
  layout.axis = data.element_count();
  const bool is_single = scales.rank() == 0 || (scales.rank() == 1 && scales[0] == 1);
  if (is_single || data.rank() == 0) return layout;
  const std::int64_t axis = data.rank() == 1 ? 0 : normalize_axis(granularity.axis, data.rank());
  layout.outer = data.product(0, axis);
  layout.axis = data[axis];
  layout.inner = data.product(axis + 1, data.rank());
  layout.kind =
      granularity.block_size > 0 ? ScaleLayout::Kind::blocks : ScaleLayout::Kind::along_axis;
  layout.block = granularity.block_size;
  return layout;
}

QuantizeOperands operand_types(const PrepareContext& context) {
  QuantizeOperands operands = {};
  operands.in_type = context.inputs[0].type;
  operands.scale_type = context.inputs[1].type;
  if (context.has_input(2)) operands.zero_point_type = context.inputs[2].type;
  operands.out_type = context.outputs[0].type;
  return operands;
}

void set_operands(const RunContext& run, QuantizeOperands& operands) {
  operands.in = run.input<std::byte>(0);
  operands.scales = run.input<std::byte>(1);
  operands.zero_points = run.input<std::byte>(2);
  operands.out = run.output<std::byte>(0);
}

/// The type to which the quotient is rounded if the node does not specify it.
DataType precision_of(const ortool::QuantizeLinear& op, DataType scale, DataType data) {
  const auto is_usual = [](DataType type) {
    return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16;
  };
  if (op.precision) return *op.precision;
  if (is_usual(scale)) return scale;
  return is_usual(data) ? data : DataType::float32;
}

KernelPtr compile_quantize_linear(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  return make_kernel(row.name, [op = read_op<ortool::QuantizeLinear>(view.node()),
                                isa = row.isa](const PrepareContext& context) {
    const ScaleLayout layout =
        scale_layout(op.granularity, context.inputs[0].shape, context.inputs[1].shape);
    const QuantizeOperands types = operand_types(context);
    const DataType precision = precision_of(op, types.scale_type, types.in_type);
    return make_prepared({}, [=, saturate = op.saturate](const RunContext& run) {
      QuantizeOperands operands = types;
      set_operands(run, operands);
      quantize(operands, layout, precision, saturate, isa, run.workers());
    });
  });
}

KernelPtr compile_dequantize_linear(const NodeView& view, const KernelRow& row,
                                    const CompileContext& compiling) {
  const Tensor* codes = view.constant(view.node().input(0));
  const bool drops_codes = codes != nullptr && compiling.packing != nullptr &&
                           !compiling.packing->takes(codes->size_bytes());
  return make_kernel(row.name, [op = read_op<ortool::DequantizeLinear>(view.node()), drops_codes,
                                isa = row.isa](const PrepareContext& context) {
    const ScaleLayout layout =
        scale_layout(op.granularity, context.inputs[0].shape, context.inputs[1].shape);
    const QuantizeOperands types = operand_types(context);
    const std::int64_t code_bytes =
        bytes_of(types.in_type, context.inputs[0].shape.element_count());
    return make_prepared({}, [=](const RunContext& run) {
      QuantizeOperands operands = types;
      set_operands(run, operands);
      dequantize(operands, layout, isa, run.workers());
      if (drops_codes) drop_pages({run.input<std::byte>(0), static_cast<std::size_t>(code_bytes)});
    });
  });
}

KernelPtr compile_dynamic_quantize(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.workspace_bytes = 64}, [=](const RunContext& run) {
      // Omitted outputs are computed anyway.
      float* scale = run.output<float>(1);
      auto* zero_point = run.output<std::uint8_t>(2);
      if (scale == nullptr) scale = run.workspace<float>();
      if (zero_point == nullptr) zero_point = run.workspace<std::uint8_t>() + sizeof(float);
      dynamic_quantize(run.input<float>(0), count, run.output<std::uint8_t>(0), scale, zero_point,
                       isa, run.workers());
    });
  });
}

bool accepts_any(const NodeView&) {
  return true;
}

constexpr auto quantize_linear_rows =
    join_rows(isa_rows<"quantize_linear">("QuantizeLinear", "all types of the operator",
                                          accepts_any, compile_quantize_linear),
              isa_rows<"dequantize_linear">("DequantizeLinear", "all types of the operator",
                                            accepts_any, compile_dequantize_linear),
              isa_rows<"dynamic_quantize_linear">("DynamicQuantizeLinear", "float32", accepts_any,
                                                  compile_dynamic_quantize));

}  // namespace

std::span<const KernelRow> quantize_linear_kernels() {
  return quantize_linear_rows;
}

}  // namespace ortool::cpu
