// Elementwise operators as steps of chains.
#include <array>
#include <limits>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/math/bitwise.hpp"
#include "libcore/ops/math/is_inf.hpp"
#include "libcore/ops/math/mod.hpp"
#include "libcore/ops/math/variadic.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/nn/prelu.hpp"
#include "libcore/ops/nn/swiglu.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

template <ElementOp op>
void append_unary(Chain& chain, DevicePlanBuilder&, const Node&, std::int64_t) {
  chain.apply(op);
}

template <ElementOp op>
void append_binary(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                   std::int64_t chain_input) {
  chain.apply(op, builder.stored_input(node, 1 - chain_input), chain_input == 1);
}

/// Operators whose attributes are the numbers a and b.
template <typename Op>
void append_activation(Chain& chain, DevicePlanBuilder&, const Node& node, std::int64_t) {
  const Op op = read_op<Op>(node);
  const auto number = [](float value) { return static_cast<double>(value); };
  if constexpr (std::is_same_v<Op, LeakyRelu>) {
    chain.apply(ElementOp::leaky_relu, number(op.alpha));
  } else if constexpr (std::is_same_v<Op, Elu>) {
    chain.apply(ElementOp::elu, number(op.alpha));
  } else if constexpr (std::is_same_v<Op, Selu>) {
    chain.apply(ElementOp::selu, number(op.alpha), number(op.gamma));
  } else if constexpr (std::is_same_v<Op, Celu>) {
    chain.apply(ElementOp::celu, number(op.alpha));
  } else if constexpr (std::is_same_v<Op, ThresholdedRelu>) {
    chain.apply(ElementOp::thresholded_relu, number(op.alpha));
  } else if constexpr (std::is_same_v<Op, HardSigmoid>) {
    chain.apply(ElementOp::hard_sigmoid, number(op.alpha), number(op.beta));
  } else if constexpr (std::is_same_v<Op, Shrink>) {
    chain.apply(ElementOp::shrink, number(op.bias), number(op.lambd));
  } else if constexpr (std::is_same_v<Op, Gelu>) {
    chain.apply(op.is_approximate ? ElementOp::gelu_tanh : ElementOp::gelu);
  } else if constexpr (std::is_same_v<Op, Swish>) {
    chain.apply(ElementOp::swish, number(op.alpha));
  } else {
    static_assert(std::is_same_v<Op, IsInf>);
    chain.apply(ElementOp::is_inf, op.detect_negative ? 1 : 0, op.detect_positive ? 1 : 0);
  }
}

void append_mod(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                std::int64_t chain_input) {
  const bool is_fmod = read_op<Mod>(node).sign_of_dividend;
  chain.apply(is_fmod ? ElementOp::fmod : ElementOp::mod,
              builder.stored_input(node, 1 - chain_input), chain_input == 1);
}

void append_shift(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                  std::int64_t chain_input) {
  const bool is_right = read_op<BitShift>(node).to_the_right;
  chain.apply(is_right ? ElementOp::shift_right : ElementOp::shift_left,
              builder.stored_input(node, 1 - chain_input), chain_input == 1);
}

std::string refuses_signed_shift(const Node& node) {
  return is_signed_integer(type_of(node.input(0))) ? "signed integers are shifted on the cpu" : "";
}

void append_prelu(Chain& chain, DevicePlanBuilder& builder, const Node& node, std::int64_t) {
  DeviceTensor slopes = builder.stored_input(node, 1);
  if (read_op<PRelu>(node).slopes_are_channels && slopes.shape.rank() == 1) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(builder.shape(node, 0).rank() - 1), 1);
    if (!shape.empty()) shape.front() = slopes.shape[0];
    if (slopes.shape[0] != 1) slopes.shape = Shape(shape);
  }
  chain.apply(ElementOp::prelu, slopes);
}

void append_where(Chain& chain, DevicePlanBuilder& builder, const Node& node, std::int64_t) {
  chain.select(builder.stored_input(node, 1), builder.stored_input(node, 2));
}

void append_clip(Chain& chain, DevicePlanBuilder& builder, const Node& node, std::int64_t) {
  const Clip op = read_op<Clip>(node);
  const auto bound = [&](const ValueOrInput<float>& number, ElementOp of_tensor) {
    if (number.value) {
      const auto value = static_cast<double>(*number.value);
      if (of_tensor == ElementOp::max) {
        chain.apply(ElementOp::clip, value, std::numeric_limits<double>::infinity());
      } else {
        chain.apply(ElementOp::clip, -std::numeric_limits<double>::infinity(), value);
      }
    } else if (builder.has_input(node, number.input)) {
      DeviceTensor tensor = builder.stored_input(node, number.input);
      tensor.shape = Shape{};
      chain.apply(of_tensor, tensor);
    }
  };
  if (op.low.value && op.high.value) {
    chain.apply(ElementOp::clip, static_cast<double>(*op.low.value),
                static_cast<double>(*op.high.value));
    return;
  }
  bound(op.low, ElementOp::max);
  bound(op.high, ElementOp::min);
}

void append_cast(Chain& chain, DevicePlanBuilder& builder, const Node& node, std::int64_t) {
  if (builder.output_type(node) != DataType::boolean) return;
  chain.apply(ElementOp::logical_not);
  chain.apply(ElementOp::logical_not);
}

std::string refuses_cast(const Node& node) {
  const DataType from = type_of(node.input(0));
  const DataType to = type_of(node.output(0));
  if (to == DataType::float8e4m3fn || to == DataType::float8e5m2)
    return "float8 is made on the cpu but by QuantizeLinear";
  if (to == DataType::uint64) return "uint64 is not computed on the device";
  if (from == DataType::float64 && (to == DataType::float16 || to == DataType::bfloat16))
    return "float64 is rounded to 16 bits on the cpu";
  if (is_real(from) && is_integer(to) && to != DataType::int32 && to != DataType::int64)
    return "floats become integers of this type on the cpu";
  return {};
}

template <ElementOp op>
void append_variadic(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                     std::int64_t chain_input) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (i != chain_input) chain.apply(op, builder.stored_input(node, i));
  }
}

void append_mean(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                 std::int64_t chain_input) {
  append_variadic<ElementOp::add>(chain, builder, node, chain_input);
  chain.apply(ElementOp::scale_shift, 1.0 / static_cast<double>(node.input_count()), 0);
}

std::string refuses_many(const Node& node) {
  return node.input_count() > max_operands ? "it has more operands than a chain takes" : "";
}

std::string refuses_legacy_broadcast(const Node& node) {
  const Attribute* flag = node.find_attribute("broadcast");
  return flag != nullptr && node.opset() < 7 && node.domain().empty()
             ? "operands are broadcast by attributes, as before opset 7"
             : "";
}

void append_swiglu(Chain& chain, DevicePlanBuilder& builder, const Node& node, std::int64_t) {
  chain.apply(ElementOp::swish, static_cast<double>(read_op<SwiGLU>(node).alpha));
  chain.apply(ElementOp::mul, builder.stored_input(node, 1));
}

/// Of integers, a divisor of zero is an error that names its place.
std::string refuses_integers(const Node& node) {
  if (!is_real(type_of(node.input(0)))) return "integers are divided on the cpu";
  return refuses_legacy_broadcast(node);
}

constexpr OperatorTypes reals = OperatorTypes::reals;
constexpr OperatorTypes numbers = OperatorTypes::numbers;

// clang-format off
constexpr std::array<ElementRow, 69> rows = {{
    {"", "Abs", numbers, false, 0, nullptr, append_unary<ElementOp::abs>},
    {"", "Neg", numbers, false, 0, nullptr, append_unary<ElementOp::neg>},
    {"", "Sign", numbers, false, 0, nullptr, append_unary<ElementOp::sign>},
    {"", "Exp", reals, false, 0, nullptr, append_unary<ElementOp::exp>},
    {"", "Log", reals, false, 0, nullptr, append_unary<ElementOp::log>},
    {"", "Sqrt", reals, false, 0, nullptr, append_unary<ElementOp::sqrt>},
    {"", "Reciprocal", reals, false, 0, nullptr, append_unary<ElementOp::reciprocal>},
    {"", "Ceil", reals, false, 0, nullptr, append_unary<ElementOp::ceil>},
    {"", "Floor", reals, false, 0, nullptr, append_unary<ElementOp::floor>},
    {"", "Round", reals, false, 0, nullptr, append_unary<ElementOp::round>},
    {"", "Sin", reals, false, 0, nullptr, append_unary<ElementOp::sin>},
    {"", "Cos", reals, false, 0, nullptr, append_unary<ElementOp::cos>},
    {"", "Tan", reals, false, 0, nullptr, append_unary<ElementOp::tan>},
    {"", "Asin", reals, false, 0, nullptr, append_unary<ElementOp::asin>},
    {"", "Acos", reals, false, 0, nullptr, append_unary<ElementOp::acos>},
    {"", "Atan", reals, false, 0, nullptr, append_unary<ElementOp::atan>},
    {"", "Sinh", reals, false, 0, nullptr, append_unary<ElementOp::sinh>},
    {"", "Cosh", reals, false, 0, nullptr, append_unary<ElementOp::cosh>},
    {"", "Tanh", reals, false, 0, nullptr, append_unary<ElementOp::tanh>},
    {"", "Asinh", reals, false, 0, nullptr, append_unary<ElementOp::asinh>},
    {"", "Acosh", reals, false, 0, nullptr, append_unary<ElementOp::acosh>},
    {"", "Atanh", reals, false, 0, nullptr, append_unary<ElementOp::atanh>},
    {"", "Erf", reals, false, 0, nullptr, append_unary<ElementOp::erf>},
    {"", "Sigmoid", reals, false, 0, nullptr, append_unary<ElementOp::sigmoid>},
    {"", "Softplus", reals, false, 0, nullptr, append_unary<ElementOp::softplus>},
    {"", "Softsign", reals, false, 0, nullptr, append_unary<ElementOp::softsign>},
    {"", "Relu", numbers, false, 0, nullptr, append_unary<ElementOp::relu>},
    {"", "HardSwish", reals, false, 0, nullptr, append_unary<ElementOp::hard_swish>},
    {"", "Mish", reals, false, 0, nullptr, append_unary<ElementOp::mish>},
    {"", "Not", numbers, false, 0, nullptr, append_unary<ElementOp::logical_not>},
    {"", "BitwiseNot", numbers, false, 0, nullptr, append_unary<ElementOp::bitwise_not>},
    {"", "IsNaN", reals, false, 0, nullptr, append_unary<ElementOp::is_nan>},
    {"", "LeakyRelu", reals, false, 0, nullptr, append_activation<LeakyRelu>},
    {"", "Elu", reals, false, 0, nullptr, append_activation<Elu>},
    {"", "Selu", reals, false, 0, nullptr, append_activation<Selu>},
    {"", "Celu", reals, false, 0, nullptr, append_activation<Celu>},
    {"", "ThresholdedRelu", reals, false, 0, nullptr, append_activation<ThresholdedRelu>},
    {"", "HardSigmoid", reals, false, 0, nullptr, append_activation<HardSigmoid>},
    {"", "Shrink", reals, false, 0, nullptr, append_activation<Shrink>},
    {"", "Gelu", reals, false, 0, nullptr, append_activation<Gelu>},
    {"", "Swish", reals, false, 0, nullptr, append_activation<Swish>},
    {"", "IsInf", reals, false, 0, nullptr, append_activation<IsInf>},
    {"", "SwiGLU", reals, false, 0, nullptr, append_swiglu},
    {"", "Clip", numbers, false, 0, nullptr, append_clip},
    {"", "Cast", numbers, false, 0, refuses_cast, append_cast},
    {"", "Add", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::add>},
    {"", "Sub", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::sub>},
    {"", "Mul", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::mul>},
    {"", "Div", reals, true, 0, refuses_integers, append_binary<ElementOp::div>},
    {"", "Pow", reals, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::pow>},
    {"", "Mod", reals, true, 0, refuses_integers, append_mod},
    {"", "BitShift", numbers, true, 0, refuses_signed_shift, append_shift},
    {"", "PRelu", reals, false, 0, nullptr, append_prelu},
    {"", "Equal", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::equal>},
    {"", "Less", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::less>},
    {"", "LessOrEqual", numbers, true, 0, nullptr, append_binary<ElementOp::less_or_equal>},
    {"", "Greater", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::greater>},
    {"", "GreaterOrEqual", numbers, true, 0, nullptr, append_binary<ElementOp::greater_or_equal>},
    {"", "And", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_and>},
    {"", "Or", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_or>},
    {"", "Xor", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_xor>},
    {"", "BitwiseAnd", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_and>},
    {"", "BitwiseOr", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_or>},
    {"", "BitwiseXor", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_xor>},
    {"", "Where", numbers, false, 0, nullptr, append_where},
    {"", "Sum", reals, true, 0, refuses_many, append_variadic<ElementOp::add>},
    {"", "Max", numbers, true, 0, refuses_many, append_variadic<ElementOp::max>},
    {"", "Min", numbers, true, 0, refuses_many, append_variadic<ElementOp::min>},
    {"", "Mean", reals, true, 0, refuses_many, append_mean},
}};
// clang-format on

}  // namespace

std::span<const ElementRow> element_rows() {
  return rows;
}

}  // namespace ortool::cuda
