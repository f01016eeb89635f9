// Kernels for Softmax, LogSoftmax and Hardmax.
#include "libcore/ops/nn/softmax.hpp"

#include <array>

#include "kernels/cpu/normalization/hardmax.hpp"
#include "kernels/cpu/normalization/softmax.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

/// The slices of a shape; a scalar is a single slice of one element.
SoftmaxSizes sizes_of(const SliceOp& op, const Shape& shape) {
  if (shape.rank() == 0) return {};
  const std::int64_t axis = normalize_axis(op.axis, shape.rank());
  if (op.flatten) return {shape.product(0, axis), shape.product(axis, shape.rank()), 1};
  return {shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.rank())};
}

template <typename T, typename Compute>
KernelPtr make_slices(const KernelRow& row, const SliceOp& op, OperandSet overwritable,
                      Compute compute) {
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const SoftmaxSizes sizes = sizes_of(op, context.inputs[0].shape);
    return make_prepared({.overwritable = overwritable}, [=](const RunContext& run) {
      compute(run.input<T>(0), run.output<T>(0), sizes, run.workers());
    });
  });
}

template <typename T>
KernelPtr make_softmax(const KernelRow& row, const SliceOp& op, SoftmaxKind kind) {
  return make_slices<T>(
      row, op, {0},
      [kind, isa = row.isa](const T* in, T* out, SoftmaxSizes sizes, Workers& workers) {
        softmax(kind, in, out, sizes, workers, isa);
      });
}

template <typename T>
KernelPtr make_hardmax(const KernelRow& row, const SliceOp& op) {
  return make_slices<T>(row, op, {}, [](const T* in, T* out, SoftmaxSizes sizes, Workers& workers) {
    hardmax(in, out, sizes, workers);
  });
}

/// Calls make(T{}) for the floating-point type.
template <typename Make>
KernelPtr with_float_type(DataType type, Make make) {
  switch (type) {
    case DataType::float64:
      return make(double{});
    case DataType::float16:
      return make(Float16Bits{});
    case DataType::bfloat16:
      return make(BFloat16Bits{});
    default:
      return make(float{});
  }
}

template <typename Op, SoftmaxKind kind>
KernelPtr compile_softmax(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const SliceOp op = read_op<Op>(view.node());
  return with_float_type(view.input_type(0), [&](auto number) {
    return make_softmax<decltype(number)>(row, op, kind);
  });
}

KernelPtr compile_hardmax(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const SliceOp op = read_op<Hardmax>(view.node());
  return with_float_type(view.input_type(0),
                         [&](auto number) { return make_hardmax<decltype(number)>(row, op); });
}

constexpr auto compile_probabilities = compile_softmax<Softmax, SoftmaxKind::probabilities>;
constexpr auto compile_logarithms = compile_softmax<LogSoftmax, SoftmaxKind::logarithms>;

// clang-format off
constexpr std::array<KernelRow, 7> softmax_rows = {{
    {"softmax_avx512", "", "Softmax", Isa::avx512, float_type_names, accepts_floats, compile_probabilities},
    {"softmax_avx2", "", "Softmax", Isa::avx2, float_type_names, accepts_floats, compile_probabilities},
    {"softmax_baseline", "", "Softmax", Isa::baseline, float_type_names, accepts_floats, compile_probabilities},
    {"log_softmax_avx512", "", "LogSoftmax", Isa::avx512, float_type_names, accepts_floats, compile_logarithms},
    {"log_softmax_avx2", "", "LogSoftmax", Isa::avx2, float_type_names, accepts_floats, compile_logarithms},
    {"log_softmax_baseline", "", "LogSoftmax", Isa::baseline, float_type_names, accepts_floats, compile_logarithms},
    {"hardmax", "", "Hardmax", Isa::baseline, float_type_names, accepts_floats, compile_hardmax},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> softmax_kernels() {
  return softmax_rows;
}

}  // namespace ortool::cpu
