// Elementwise operators as steps of chains.
#include <array>
#include <limits>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/fused/fused_gelu.hpp"
#include "libcore/ops/contrib_domain.hpp"
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
void append_unary(Chain& chain, Emission&, const Node&, std::int64_t) {
  chain.apply(op);
}

template <ElementOp op>
void append_binary(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  chain.apply(op, emission.input(node, 1 - chain_input), chain_input == 1);
}

/// Operators whose attributes are the numbers a and b.
template <typename Op>
void append_activation(Chain& chain, Emission&, const Node& node, std::int64_t) {
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
  } else if constexpr (std::is_same_v<Op, Swish> || std::is_same_v<Op, QuickGelu>) {
    chain.apply(ElementOp::swish, number(op.alpha));
  } else {
    static_assert(std::is_same_v<Op, IsInf>);
    chain.apply(ElementOp::is_inf, op.detect_negative ? 1 : 0, op.detect_positive ? 1 : 0);
  }
}

void append_mod(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  const bool is_fmod = read_op<Mod>(node).sign_of_dividend;
  chain.apply(is_fmod ? ElementOp::fmod : ElementOp::mod, emission.input(node, 1 - chain_input),
              chain_input == 1);
}

void append_shift(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  const bool is_right = read_op<BitShift>(node).to_the_right;
  chain.apply(is_right ? ElementOp::shift_right : ElementOp::shift_left,
              emission.input(node, 1 - chain_input), chain_input == 1);
}

std::string refuses_signed_shift(const Node& node) {
  return is_signed_integer(type_of(node.input(0))) ? "signed integers are shifted on the cpu" : "";
}

void append_prelu(Chain& chain, Emission& emission, const Node& node, std::int64_t) {
  DeviceTensor slopes = emission.input(node, 1);
  if (read_op<PRelu>(node).slopes_are_channels && slopes.shape.rank() == 1) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(emission.shape(node, 0).rank() - 1), 1);
    if (!shape.empty()) shape.front() = slopes.shape[0];
    if (slopes.shape[0] != 1) slopes.shape = Shape(shape);
  }
  chain.apply(ElementOp::prelu, slopes);
}

void append_where(Chain& chain, Emission& emission, const Node& node, std::int64_t) {
  chain.select(emission.input(node, 1), emission.input(node, 2));
}

void append_clip(Chain& chain, Emission& emission, const Node& node, std::int64_t) {
  const Clip op = read_op<Clip>(node);
  const auto bound = [&](const ValueOrInput<float>& number, ElementOp of_tensor) {
    if (number.value) {
      const auto value = static_cast<double>(*number.value);
      if (of_tensor == ElementOp::max) {
        chain.apply(ElementOp::clip, value, std::numeric_limits<double>::infinity());
      } else {
        chain.apply(ElementOp::clip, -std::numeric_limits<double>::infinity(), value);
      }
    } else if (emission.has_input(node, number.input)) {
      DeviceTensor tensor = emission.input(node, number.input);
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

void append_cast(Chain& chain, Emission& emission, const Node& node, std::int64_t) {
  if (emission.output_type(node) != DataType::boolean) return;
  chain.apply(ElementOp::logical_not);
  chain.apply(ElementOp::logical_not);
}

std::string refuses_cast(const Node& node) {
  const DataType from = type_of(node.input(0));
  const DataType to = type_of(node.output(0));
  if (to == DataType::uint64) return "uint64 is not computed on the device";
  if (from == DataType::float64 && (to == DataType::float16 || to == DataType::bfloat16))
    return "float64 is rounded to 16 bits on the cpu";
  if (is_real(from) && is_integer(to) && to != DataType::int32 && to != DataType::int64)
    return "floats become integers of this type on the cpu";
  return {};
}

template <ElementOp op>
void append_variadic(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (i != chain_input) chain.apply(op, emission.input(node, i));
  }
}

void append_mean(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  append_variadic<ElementOp::add>(chain, emission, node, chain_input);
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

void append_gelu_sum(Chain& chain, Emission& emission, const Node& node, std::int64_t chain_input) {
  const DeviceTensor bias = emission.input(node, 1 - chain_input);
  if (bias.is_given()) chain.apply(ElementOp::add, bias);
  chain.apply(node.op_type() == "FastGelu" ? ElementOp::gelu_tanh : ElementOp::gelu);
}

void append_swiglu(Chain& chain, Emission& emission, const Node& node, std::int64_t) {
  chain.apply(ElementOp::swish, static_cast<double>(read_op<SwiGLU>(node).alpha));
  chain.apply(ElementOp::mul, emission.input(node, 1));
}

/// Of integers, a divisor of zero is an error that names its place.
std::string refuses_integers(const Node& node) {
  if (!is_real(type_of(node.input(0)))) return "integers are divided on the cpu";
  return refuses_legacy_broadcast(node);
}

std::string refuses_mixed(const Node& node) {
  return type_of(node.input(0)) != type_of(node.input(1)) ? "operands differ in type" : "";
}

constexpr OperatorTypes reals = OperatorTypes::reals;
constexpr OperatorTypes numbers = OperatorTypes::numbers;

// clang-format off
constexpr std::array rows = {
    ElementRow{"", "Abs", numbers, false, 0, nullptr, append_unary<ElementOp::abs>},
    ElementRow{"", "Neg", numbers, false, 0, nullptr, append_unary<ElementOp::neg>},
    ElementRow{"", "Sign", numbers, false, 0, nullptr, append_unary<ElementOp::sign>},
    ElementRow{"", "Exp", reals, false, 0, nullptr, append_unary<ElementOp::exp>},
    ElementRow{"", "Log", reals, false, 0, nullptr, append_unary<ElementOp::log>},
    ElementRow{"", "Sqrt", reals, false, 0, nullptr, append_unary<ElementOp::sqrt>},
    ElementRow{"", "Reciprocal", reals, false, 0, nullptr, append_unary<ElementOp::reciprocal>},
    ElementRow{"", "Ceil", reals, false, 0, nullptr, append_unary<ElementOp::ceil>},
    ElementRow{"", "Floor", reals, false, 0, nullptr, append_unary<ElementOp::floor>},
    ElementRow{"", "Round", reals, false, 0, nullptr, append_unary<ElementOp::round>},
    ElementRow{"", "Sin", reals, false, 0, nullptr, append_unary<ElementOp::sin>},
    ElementRow{"", "Cos", reals, false, 0, nullptr, append_unary<ElementOp::cos>},
    ElementRow{"", "Tan", reals, false, 0, nullptr, append_unary<ElementOp::tan>},
    ElementRow{"", "Asin", reals, false, 0, nullptr, append_unary<ElementOp::asin>},
    ElementRow{"", "Acos", reals, false, 0, nullptr, append_unary<ElementOp::acos>},
    ElementRow{"", "Atan", reals, false, 0, nullptr, append_unary<ElementOp::atan>},
    ElementRow{"", "Sinh", reals, false, 0, nullptr, append_unary<ElementOp::sinh>},
    ElementRow{"", "Cosh", reals, false, 0, nullptr, append_unary<ElementOp::cosh>},
    ElementRow{"", "Tanh", reals, false, 0, nullptr, append_unary<ElementOp::tanh>},
    ElementRow{"", "Asinh", reals, false, 0, nullptr, append_unary<ElementOp::asinh>},
    ElementRow{"", "Acosh", reals, false, 0, nullptr, append_unary<ElementOp::acosh>},
    ElementRow{"", "Atanh", reals, false, 0, nullptr, append_unary<ElementOp::atanh>},
    ElementRow{"", "Erf", reals, false, 0, nullptr, append_unary<ElementOp::erf>},
    ElementRow{"", "Sigmoid", reals, false, 0, nullptr, append_unary<ElementOp::sigmoid>},
    ElementRow{"", "Softplus", reals, false, 0, nullptr, append_unary<ElementOp::softplus>},
    ElementRow{"", "Softsign", reals, false, 0, nullptr, append_unary<ElementOp::softsign>},
    ElementRow{"", "Relu", numbers, false, 0, nullptr, append_unary<ElementOp::relu>},
    ElementRow{"", "HardSwish", reals, false, 0, nullptr, append_unary<ElementOp::hard_swish>},
    ElementRow{"", "Mish", reals, false, 0, nullptr, append_unary<ElementOp::mish>},
    ElementRow{"", "Not", numbers, false, 0, nullptr, append_unary<ElementOp::logical_not>},
    ElementRow{"", "BitwiseNot", numbers, false, 0, nullptr, append_unary<ElementOp::bitwise_not>},
    ElementRow{"", "IsNaN", reals, false, 0, nullptr, append_unary<ElementOp::is_nan>},
    ElementRow{"", "LeakyRelu", reals, false, 0, nullptr, append_activation<LeakyRelu>},
    ElementRow{"", "Elu", reals, false, 0, nullptr, append_activation<Elu>},
    ElementRow{"", "Selu", reals, false, 0, nullptr, append_activation<Selu>},
    ElementRow{"", "Celu", reals, false, 0, nullptr, append_activation<Celu>},
    ElementRow{"", "ThresholdedRelu", reals, false, 0, nullptr, append_activation<ThresholdedRelu>},
    ElementRow{"", "HardSigmoid", reals, false, 0, nullptr, append_activation<HardSigmoid>},
    ElementRow{"", "Shrink", reals, false, 0, nullptr, append_activation<Shrink>},
    ElementRow{"", "Gelu", reals, false, 0, nullptr, append_activation<Gelu>},
    ElementRow{"", "Swish", reals, false, 0, nullptr, append_activation<Swish>},
    ElementRow{"", "IsInf", reals, false, 0, nullptr, append_activation<IsInf>},
    ElementRow{"", "SwiGLU", reals, false, 0, nullptr, append_swiglu},
    ElementRow{"", "Clip", numbers, false, 0, nullptr, append_clip},
    ElementRow{"", "Cast", numbers, false, 0, refuses_cast, append_cast},
    ElementRow{"", "Add", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::add>},
    ElementRow{"", "Sub", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::sub>},
    ElementRow{"", "Mul", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::mul>},
    ElementRow{"", "Div", reals, true, 0, refuses_integers, append_binary<ElementOp::div>},
    ElementRow{"", "Pow", reals, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::pow>},
    ElementRow{"", "Mod", reals, true, 0, refuses_integers, append_mod},
    ElementRow{"", "BitShift", numbers, true, 0, refuses_signed_shift, append_shift},
    ElementRow{"", "PRelu", reals, false, 0, nullptr, append_prelu},
    ElementRow{"", "Equal", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::equal>},
    ElementRow{"", "Less", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::less>},
    ElementRow{"", "LessOrEqual", numbers, true, 0, nullptr, append_binary<ElementOp::less_or_equal>},
    ElementRow{"", "Greater", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::greater>},
    ElementRow{"", "GreaterOrEqual", numbers, true, 0, nullptr, append_binary<ElementOp::greater_or_equal>},
    ElementRow{"", "And", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_and>},
    ElementRow{"", "Or", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_or>},
    ElementRow{"", "Xor", numbers, true, 0, refuses_legacy_broadcast, append_binary<ElementOp::logical_xor>},
    ElementRow{"", "BitwiseAnd", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_and>},
    ElementRow{"", "BitwiseOr", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_or>},
    ElementRow{"", "BitwiseXor", numbers, true, 0, nullptr, append_binary<ElementOp::bitwise_xor>},
    ElementRow{"", "Where", numbers, false, 0, nullptr, append_where},
    ElementRow{"", "Sum", reals, true, 0, refuses_many, append_variadic<ElementOp::add>},
    ElementRow{"", "Max", numbers, true, 0, refuses_many, append_variadic<ElementOp::max>},
    ElementRow{"", "Min", numbers, true, 0, refuses_many, append_variadic<ElementOp::min>},
    ElementRow{"", "Mean", reals, true, 0, refuses_many, append_mean},
    ElementRow{contrib_domain, "Gelu", reals, false, 0, nullptr, append_unary<ElementOp::gelu>},
    ElementRow{contrib_domain, "QuickGelu", reals, false, 0, nullptr, append_activation<QuickGelu>},
    ElementRow{contrib_domain, "BiasGelu", reals, true, 0, refuses_mixed, append_gelu_sum},
    ElementRow{contrib_domain, "FastGelu", reals, true, 0, nullptr, append_gelu_sum},
};
// clang-format on

}  // namespace

std::span<const ElementRow> element_rows() {
  return rows;
}

}  // namespace ortool::cuda
