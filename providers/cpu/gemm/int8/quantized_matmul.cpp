// Kernels for MatMulInteger and QLinearMatMul with fused epilogue.
#include <array>

#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "libcore/ops/quantization/qlinear_matmul.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "providers/cpu/gemm/int8/matmul_kernel.hpp"
#include "providers/cpu/gemm/int8/reference_matmul.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr Int8MatMulInputs integer_product = {};
constexpr Int8MatMulInputs linear_product = {0, 1, 2, 3, 4, 5, 6, 7};

KernelPtr compile_matmul_integer(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  return make_int8_matmul(view, row, integer_product, context);
}

KernelPtr compile_qlinear_matmul(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  return make_int8_matmul(view, row, linear_product, context);
}

/// QLinearMatMul with operands of any of its types, computed in double.
KernelPtr compile_number_matmul(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    MatMulShapes shapes = match_matmul(context.inputs[0].shape, context.inputs[3].shape);
    std::array<ParamList, 8> lists;
    for (std::size_t i = 0; i < lists.size(); ++i)
      lists[i] = {context.inputs[i].type, context.inputs[i].shape.element_count()};
    return make_prepared({}, [lists, shapes = std::move(shapes)](const RunContext& run) {
      multiply_numbers(lists, shapes, run);
    });
  });
}

bool accepts_any_bytes(const NodeView&) {
  return true;
}

bool accepts_linear_bytes(const NodeView& view) {
  for (const std::int64_t input : {0, 3, 7}) {
    if (!types::bytes.contains(view.input_type(input))) return false;
  }
  return true;
}

template <std::size_t count>
constexpr std::array<KernelRow, count> with_epilogues(std::array<KernelRow, count> rows) {
  for (KernelRow& row : rows) row.absorbs = absorbs_epilogue;
  return rows;
}

constexpr auto quantized_matmul_rows =
    join_rows(with_epilogues(int8_isa_rows<"matmul_integer">(
                  "MatMulInteger", "int8, uint8", accepts_any_bytes, compile_matmul_integer)),
              with_epilogues(int8_isa_rows<"qlinear_matmul">(
                  "QLinearMatMul", "int8, uint8", accepts_linear_bytes, compile_qlinear_matmul)),
              portable_row("qlinear_matmul_float8", "QLinearMatMul", "float8", accepts_any_bytes,
                           compile_number_matmul));

}  // namespace

std::span<const KernelRow> quantized_matmul_kernels() {
  return quantized_matmul_rows;
}

}  // namespace ortool::cpu
