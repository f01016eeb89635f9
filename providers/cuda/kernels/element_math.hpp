// Element functions of the elementwise chain, for float, double and int64 arithmetic.
#pragma once

#include "providers/cuda/kernels/device_code.hpp"
#include "providers/cuda/kernels/kernel_params.hpp"

namespace ortool::cuda {

// clang-format off
ORTOOL_DEVICE float of_exp(float x) { return expf(x); }
ORTOOL_DEVICE double of_exp(double x) { return exp(x); }
ORTOOL_DEVICE float of_expm1(float x) { return expm1f(x); }
ORTOOL_DEVICE double of_expm1(double x) { return expm1(x); }
ORTOOL_DEVICE float of_log(float x) { return logf(x); }
ORTOOL_DEVICE double of_log(double x) { return log(x); }
ORTOOL_DEVICE float of_log1p(float x) { return log1pf(x); }
ORTOOL_DEVICE double of_log1p(double x) { return log1p(x); }
ORTOOL_DEVICE float of_sqrt(float x) { return sqrtf(x); }
ORTOOL_DEVICE double of_sqrt(double x) { return sqrt(x); }
ORTOOL_DEVICE float of_ceil(float x) { return ceilf(x); }
ORTOOL_DEVICE double of_ceil(double x) { return ceil(x); }
ORTOOL_DEVICE float of_floor(float x) { return floorf(x); }
ORTOOL_DEVICE double of_floor(double x) { return floor(x); }
ORTOOL_DEVICE float of_round(float x) { return rintf(x); }
ORTOOL_DEVICE double of_round(double x) { return rint(x); }
ORTOOL_DEVICE float of_sin(float x) { return sinf(x); }
ORTOOL_DEVICE double of_sin(double x) { return sin(x); }
ORTOOL_DEVICE float of_cos(float x) { return cosf(x); }
ORTOOL_DEVICE double of_cos(double x) { return cos(x); }
ORTOOL_DEVICE float of_tan(float x) { return tanf(x); }
ORTOOL_DEVICE double of_tan(double x) { return tan(x); }
ORTOOL_DEVICE float of_asin(float x) { return asinf(x); }
ORTOOL_DEVICE double of_asin(double x) { return asin(x); }
ORTOOL_DEVICE float of_acos(float x) { return acosf(x); }
ORTOOL_DEVICE double of_acos(double x) { return acos(x); }
ORTOOL_DEVICE float of_atan(float x) { return atanf(x); }
ORTOOL_DEVICE double of_atan(double x) { return atan(x); }
ORTOOL_DEVICE float of_sinh(float x) { return sinhf(x); }
ORTOOL_DEVICE double of_sinh(double x) { return sinh(x); }
ORTOOL_DEVICE float of_cosh(float x) { return coshf(x); }
ORTOOL_DEVICE double of_cosh(double x) { return cosh(x); }
ORTOOL_DEVICE float of_tanh(float x) { return tanhf(x); }
ORTOOL_DEVICE double of_tanh(double x) { return tanh(x); }
ORTOOL_DEVICE float of_asinh(float x) { return asinhf(x); }
ORTOOL_DEVICE double of_asinh(double x) { return asinh(x); }
ORTOOL_DEVICE float of_acosh(float x) { return acoshf(x); }
ORTOOL_DEVICE double of_acosh(double x) { return acosh(x); }
ORTOOL_DEVICE float of_atanh(float x) { return atanhf(x); }
ORTOOL_DEVICE double of_atanh(double x) { return atanh(x); }
ORTOOL_DEVICE float of_erf(float x) { return erff(x); }
ORTOOL_DEVICE double of_erf(double x) { return erf(x); }
ORTOOL_DEVICE float of_pow(float x, float y) { return powf(x, y); }
ORTOOL_DEVICE double of_pow(double x, double y) { return pow(x, y); }
ORTOOL_DEVICE float of_fmod(float x, float y) { return fmodf(x, y); }
ORTOOL_DEVICE double of_fmod(double x, double y) { return fmod(x, y); }
// clang-format on

template <typename Real>
ORTOOL_DEVICE Real sigmoid_of(Real x) {
  return Real(1) / (Real(1) + of_exp(-x));
}

template <typename Real>
ORTOOL_DEVICE Real softplus_of(Real x) {
  return x > Real(0) ? x + of_log1p(of_exp(-x)) : of_log1p(of_exp(x));
}

template <typename Real>
ORTOOL_DEVICE Real clamp_of(Real x, Real low, Real high) {
  return x < low ? low : x > high ? high : x;
}

template <typename Real>
ORTOOL_DEVICE Real gelu_of(Real x) {
  return Real(0.5) * x * (Real(1) + of_erf(x * Real(0.70710678118654752440)));
}

template <typename Real>
ORTOOL_DEVICE Real gelu_tanh_of(Real x) {
  const Real inner = Real(0.79788456080286535588) * (x + Real(0.044715) * x * x * x);
  return Real(0.5) * x * (Real(1) + of_tanh(inner));
}

template <typename Real>
ORTOOL_DEVICE Real activation_of(ElementOp op, Real x, Real a, Real b) {
  switch (op) {
    case ElementOp::leaky_relu:
      return x < Real(0) ? a * x : x;
    case ElementOp::elu:
      return x < Real(0) ? a * of_expm1(x) : x;
    case ElementOp::selu:
      return x > Real(0) ? b * x : b * a * of_expm1(x);
    case ElementOp::celu:
      return x > Real(0) ? x : x != x ? x : a * of_expm1(x / a);
    case ElementOp::thresholded_relu:
      return x > a ? x : Real(0);
    case ElementOp::hard_sigmoid:
      return clamp_of(a * x + b, Real(0), Real(1));
    case ElementOp::hard_swish:
      return x * clamp_of(x / Real(6) + Real(0.5), Real(0), Real(1));
    case ElementOp::shrink:
      return x < -b ? x + a : x > b ? x - a : Real(0);
    case ElementOp::gelu:
      return gelu_of(x);
    case ElementOp::gelu_tanh:
      return gelu_tanh_of(x);
    case ElementOp::mish:
      return x * of_tanh(softplus_of(x));
    case ElementOp::swish:
      return x * sigmoid_of(a * x);
    case ElementOp::softplus:
      return softplus_of(x);
    case ElementOp::softsign:
      return x / (Real(1) + (x < Real(0) ? -x : x));
    default:
      return sigmoid_of(x);
  }
}

template <typename Real>
ORTOOL_DEVICE Real function_of(ElementOp op, Real x, Real a, Real b) {
  switch (op) {
    case ElementOp::exp:
      return of_exp(x);
    case ElementOp::log:
      return of_log(x);
    case ElementOp::sqrt:
      return of_sqrt(x);
    case ElementOp::reciprocal:
      return Real(1) / x;
    case ElementOp::ceil:
      return of_ceil(x);
    case ElementOp::floor:
      return of_floor(x);
    case ElementOp::round:
      return of_round(x);
    case ElementOp::sin:
      return of_sin(x);
    case ElementOp::cos:
      return of_cos(x);
    case ElementOp::tan:
      return of_tan(x);
    case ElementOp::asin:
      return of_asin(x);
    case ElementOp::acos:
      return of_acos(x);
    case ElementOp::atan:
      return of_atan(x);
    case ElementOp::sinh:
      return of_sinh(x);
    case ElementOp::cosh:
      return of_cosh(x);
    case ElementOp::tanh:
      return of_tanh(x);
    case ElementOp::asinh:
      return of_asinh(x);
    case ElementOp::acosh:
      return of_acosh(x);
    case ElementOp::atanh:
      return of_atanh(x);
    case ElementOp::erf:
      return of_erf(x);
    case ElementOp::is_nan:
      return Real(x != x);
    case ElementOp::is_inf:
      return Real((a != Real(0) && x == Real(-INFINITY)) || (b != Real(0) && x == Real(INFINITY)));
    case ElementOp::pow:
      return of_pow(x, a);
    default:
      return activation_of(op, x, a, b);
  }
}

ORTOOL_DEVICE int64_t function_of(ElementOp op, int64_t x, int64_t, int64_t) {
  return op == ElementOp::bitwise_not ? ~x : x;
}

template <typename Real>
ORTOOL_DEVICE Real modulo_of(Real x, Real y) {
  const Real rest = of_fmod(x, y);
  return rest != Real(0) && ((rest < Real(0)) != (y < Real(0))) ? rest + y : rest;
}
ORTOOL_DEVICE int64_t modulo_of(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && ((rest < 0) != (y < 0)) ? rest + y : rest;
}

template <typename Real>
ORTOOL_DEVICE Real binary_function_of(ElementOp op, Real x, Real y) {
  switch (op) {
    case ElementOp::div:
      return x / y;
    case ElementOp::pow:
      return y == Real(2) ? x * x : of_pow(x, y);
    case ElementOp::fmod:
      return of_fmod(x, y);
    default:
      return modulo_of(x, y);
  }
}

ORTOOL_DEVICE int64_t binary_function_of(ElementOp op, int64_t x, int64_t y) {
  switch (op) {
    case ElementOp::div:
      return y == 0 ? 0 : y == -1 ? static_cast<int64_t>(0U - static_cast<uint64_t>(x)) : x / y;
    case ElementOp::fmod:
      return y == 0 || y == -1 ? 0 : x % y;
    case ElementOp::bitwise_and:
      return x & y;
    case ElementOp::bitwise_or:
      return x | y;
    case ElementOp::bitwise_xor:
      return x ^ y;
    case ElementOp::shift_left:
      return y < 0 || y > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) << y);
    case ElementOp::shift_right:
      return y < 0 || y > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) >> y);
    default:
      return modulo_of(x, y);
  }
}

// Sums and products of integers wrap around.
ORTOOL_DEVICE int64_t sum_of(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}
ORTOOL_DEVICE int64_t product_of(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}
template <typename Real>
ORTOOL_DEVICE Real sum_of(Real x, Real y) {
  return x + y;
}
template <typename Real>
ORTOOL_DEVICE Real product_of(Real x, Real y) {
  return x * y;
}
ORTOOL_DEVICE int64_t negated(int64_t x) {
  return static_cast<int64_t>(0U - static_cast<uint64_t>(x));
}
template <typename Real>
ORTOOL_DEVICE Real negated(Real x) {
  return -x;
}

/// The lower bound first: where it is above the upper one, that counts.
template <typename Number>
ORTOOL_DEVICE Number clip_of(Number x, Number low, Number high) {
  const Number y = x < low ? low : x;
  return y > high ? high : y;
}

/// x after an operation without operands.
template <typename Number>
ORTOOL_DEVICE Number apply_unary(ElementOp op, Number x, Number a, Number b) {
  switch (op) {
    case ElementOp::identity:
      return x;
    case ElementOp::abs:
      return x < Number(0) ? negated(x) : x == Number(0) ? Number(0) : x;
    case ElementOp::neg:
      return negated(x);
    case ElementOp::sign:
      return x > Number(0) ? Number(1) : x < Number(0) ? Number(-1) : x;
    case ElementOp::relu:
      return x < Number(0) ? Number(0) : x;
    case ElementOp::logical_not:
      return Number(x == Number(0));
    case ElementOp::clip:
      return clip_of(x, a, b);
    case ElementOp::scale_shift:
      return sum_of(product_of(x, a), b);
    default:
      return function_of(op, x, a, b);
  }
}

template <typename Number>
ORTOOL_DEVICE Number apply_binary(ElementOp op, Number x, Number y) {
  switch (op) {
    case ElementOp::add:
      return sum_of(x, y);
    case ElementOp::sub:
      return sum_of(x, negated(y));
    case ElementOp::mul:
      return product_of(x, y);
    case ElementOp::min:
      return x != x || x < y ? x : y;
    case ElementOp::max:
      return x != x || x > y ? x : y;
    case ElementOp::prelu:
      return x < Number(0) ? product_of(x, y) : x;
    case ElementOp::equal:
      return Number(x == y);
    case ElementOp::less:
      return Number(x < y);
    case ElementOp::less_or_equal:
      return Number(x <= y);
    case ElementOp::greater:
      return Number(x > y);
    case ElementOp::greater_or_equal:
      return Number(x >= y);
    case ElementOp::logical_and:
      return Number(x != Number(0) && y != Number(0));
    case ElementOp::logical_or:
      return Number(x != Number(0) || y != Number(0));
    case ElementOp::logical_xor:
      return Number((x != Number(0)) != (y != Number(0)));
    default:
      return binary_function_of(op, x, y);
  }
}

}  // namespace ortool::cuda
