// Kernels for activations: each is a unary function, vectorized for the row's instruction set.
#include "libcore/ops/nn/activation.hpp"

#include <array>

#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

/// The unary function that implements an operator, with its parameters.
struct ActivationFunction {
  UnaryOp op;
  UnaryParameters parameters = {};
};

// clang-format off
ActivationFunction function_of(const Relu&) { return {UnaryOp::relu}; }
ActivationFunction function_of(const LeakyRelu& op) { return {UnaryOp::leaky_relu, {op.alpha, 0}}; }
ActivationFunction function_of(const Elu& op) { return {UnaryOp::elu, {op.alpha, 0}}; }
ActivationFunction function_of(const Selu& op) { return {UnaryOp::selu, {op.alpha, op.gamma}}; }
ActivationFunction function_of(const Celu& op) { return {UnaryOp::celu, {op.alpha, 0}}; }
ActivationFunction function_of(const ThresholdedRelu& op) { return {UnaryOp::thresholded_relu, {op.alpha, 0}}; }
ActivationFunction function_of(const HardSigmoid& op) { return {UnaryOp::hard_sigmoid, {op.alpha, op.beta}}; }
ActivationFunction function_of(const HardSwish&) { return {UnaryOp::hard_swish}; }
ActivationFunction function_of(const Shrink& op) { return {UnaryOp::shrink, {op.lambd, op.bias}}; }
ActivationFunction function_of(const Sigmoid&) { return {UnaryOp::sigmoid}; }
ActivationFunction function_of(const Tanh&) { return {UnaryOp::tanh}; }
ActivationFunction function_of(const Softplus&) { return {UnaryOp::softplus}; }
ActivationFunction function_of(const Softsign&) { return {UnaryOp::softsign}; }
ActivationFunction function_of(const Gelu& op) { return {op.is_approximate ? UnaryOp::gelu_tanh : UnaryOp::gelu}; }
ActivationFunction function_of(const Mish&) { return {UnaryOp::mish}; }
ActivationFunction function_of(const Swish& op) { return {UnaryOp::swish, {op.alpha, 0}}; }
ActivationFunction function_of(const Erf&) { return {UnaryOp::erf}; }
// clang-format on

template <typename T>
KernelPtr make_activation(const KernelRow& row, ActivationFunction function) {
  return make_kernel(row.name, [function, isa = row.isa](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      unary(function.op, function.parameters, run.input<T>(0), run.output<T>(0), count,
            run.workers(), isa);
    });
  });
}

template <typename Op>
KernelPtr compile_floats(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const ActivationFunction function = function_of(read_op<Op>(view.node()));
  switch (view.input_type(0)) {
    case DataType::float64:
      return make_activation<double>(row, function);
    case DataType::float16:
      return make_activation<Float16Bits>(row, function);
    case DataType::bfloat16:
      return make_activation<BFloat16Bits>(row, function);
    default:
      return make_activation<float>(row, function);
  }
}

KernelPtr compile_integer_relu(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const DataType type = view.input_type(0);
  return make_kernel(row.name, [type](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      dispatch_data_type(type, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          unary_integer(UnaryOp::relu, run.input<T>(0), run.output<T>(0), count, run.workers());
        }
      });
    });
  });
}

/// Erf and Shrink of integers, which opset versions from 9 on accept.
template <typename Op>
KernelPtr compile_real_integer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const ActivationFunction function = function_of(read_op<Op>(view.node()));
  const DataType type = view.input_type(0);
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      dispatch_data_type(type, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          unary_real_integer(function.op, function.parameters, run.input<T>(0), run.output<T>(0),
                             count, run.workers());
        }
      });
    });
  });
}

/// The rows of one operator; `names` for AVX-512, AVX2 and baseline.
template <typename Op>
constexpr std::array<KernelRow, 3> rows_of(const char* op_type, std::array<const char*, 3> names) {
  constexpr Isa isas[] = {Isa::avx512, Isa::avx2, Isa::baseline};
  std::array<KernelRow, 3> rows = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {names[i],          "", op_type, isas[i], float_type_names, accepts_floats,
               compile_floats<Op>};
  }
  return rows;
}

constexpr std::array<KernelRow, 3> integer_activations = {
    {{"erf_integer", "", "Erf", Isa::baseline, "integers", accepts_integers,
      compile_real_integer<Erf>},
     {"relu_integer", "", "Relu", Isa::baseline, "integers", accepts_integers,
      compile_integer_relu},
     {"shrink_integer", "", "Shrink", Isa::baseline, "integers", accepts_integers,
      compile_real_integer<Shrink>}}};

constexpr auto activation_rows = join_rows(
    rows_of<Relu>("Relu", {"relu_avx512", "relu_avx2", "relu_baseline"}),
    rows_of<LeakyRelu>("LeakyRelu",
                       {"leaky_relu_avx512", "leaky_relu_avx2", "leaky_relu_baseline"}),
    rows_of<Elu>("Elu", {"elu_avx512", "elu_avx2", "elu_baseline"}),
    rows_of<Selu>("Selu", {"selu_avx512", "selu_avx2", "selu_baseline"}),
    rows_of<Celu>("Celu", {"celu_avx512", "celu_avx2", "celu_baseline"}),
    rows_of<ThresholdedRelu>("ThresholdedRelu", {"thresholded_relu_avx512", "thresholded_relu_avx2",
                                                 "thresholded_relu_baseline"}),
    rows_of<HardSigmoid>("HardSigmoid",
                         {"hard_sigmoid_avx512", "hard_sigmoid_avx2", "hard_sigmoid_baseline"}),
    rows_of<HardSwish>("HardSwish",
                       {"hard_swish_avx512", "hard_swish_avx2", "hard_swish_baseline"}),
    rows_of<Shrink>("Shrink", {"shrink_avx512", "shrink_avx2", "shrink_baseline"}),
    rows_of<Sigmoid>("Sigmoid", {"sigmoid_avx512", "sigmoid_avx2", "sigmoid_baseline"}),
    rows_of<Tanh>("Tanh", {"tanh_avx512", "tanh_avx2", "tanh_baseline"}),
    rows_of<Softplus>("Softplus", {"softplus_avx512", "softplus_avx2", "softplus_baseline"}),
    rows_of<Softsign>("Softsign", {"softsign_avx512", "softsign_avx2", "softsign_baseline"}),
    rows_of<Gelu>("Gelu", {"gelu_avx512", "gelu_avx2", "gelu_baseline"}),
    rows_of<Mish>("Mish", {"mish_avx512", "mish_avx2", "mish_baseline"}),
    rows_of<Swish>("Swish", {"swish_avx512", "swish_avx2", "swish_baseline"}),
    rows_of<Erf>("Erf", {"erf_avx512", "erf_avx2", "erf_baseline"}), integer_activations);

}  // namespace

std::span<const KernelRow> activation_kernels() {
  return activation_rows;
}

}  // namespace ortool::cpu
