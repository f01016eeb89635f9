// Unary elementwise functions: float32 by vector loops, everything else by scalar loops.
#include "kernels/cpu/elementwise/unary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/cpu/isa/unary_f32.hpp"
#include "kernels/cpu/parallel/grain_size.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/base/error.hpp"
#include "libcore/tensor/float_formats.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t double_grain = 8192;
constexpr std::int64_t unary_block = 512;

bool vector_unary(Isa isa, UnaryOp op, const float* in, float* out, std::int64_t count,
                  UnaryParameters parameters) {
  const float alpha = static_cast<float>(parameters.alpha);
  const float beta = static_cast<float>(parameters.beta);
  return unary_f32_function(isa)(op, in, out, count, alpha, beta);
}

template <typename T, typename Function>
void map(const T* in, T* out, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = function(in[i]);
}

/// Functions that libm provides; false for the others.
template <typename T>
bool library_unary(UnaryOp op, const T* in, T* out, std::int64_t count) {
  const auto with = [=](auto function) {
    map(in, out, count, function);
    return true;
  };
  switch (op) {
    case UnaryOp::sin:
      return with([](T x) { return std::sin(x); });
    case UnaryOp::cos:
      return with([](T x) { return std::cos(x); });
    case UnaryOp::tan:
      return with([](T x) { return std::tan(x); });
    case UnaryOp::asin:
      return with([](T x) { return std::asin(x); });
    case UnaryOp::acos:
      return with([](T x) { return std::acos(x); });
    case UnaryOp::atan:
      return with([](T x) { return std::atan(x); });
    case UnaryOp::sinh:
      return with([](T x) { return std::sinh(x); });
    case UnaryOp::cosh:
      return with([](T x) { return std::cosh(x); });
    case UnaryOp::asinh:
      return with([](T x) { return std::asinh(x); });
    case UnaryOp::acosh:
      return with([](T x) { return std::acosh(x); });
    case UnaryOp::atanh:
      return with([](T x) { return std::atanh(x); });
    case UnaryOp::exp:
      return with([](T x) { return std::exp(x); });
    case UnaryOp::log:
      return with([](T x) { return std::log(x); });
    case UnaryOp::sqrt:
      return with([](T x) { return std::sqrt(x); });
    case UnaryOp::floor:
      return with([](T x) { return std::floor(x); });
    case UnaryOp::ceil:
      return with([](T x) { return std::ceil(x); });
    case UnaryOp::round:
      return with([](T x) { return std::nearbyint(x); });
    case UnaryOp::tanh:
      return with([](T x) { return std::tanh(x); });
    case UnaryOp::erf:
      return with([](T x) { return std::erf(x); });
    default:
      return false;
  }
}

double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

double softplus(double x) {
  return (x > 0 ? x : std::isnan(x) ? x : 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double at_least_zero(double x) {
  return x < 0 ? 0.0 : x;
}
double at_most_one(double x) {
  return x > 1 ? 1.0 : x;
}

void double_unary(UnaryOp op, UnaryParameters parameters, const double* in, double* out,
                  std::int64_t count) {
  const double alpha = parameters.alpha;
  const double beta = parameters.beta;
  const auto with = [=](auto function) { map(in, out, count, function); };
  switch (op) {
    case UnaryOp::relu:
      return with(at_least_zero);
    case UnaryOp::leaky_relu:
      return with([=](double x) { return x < 0 ? alpha * x : x; });
    case UnaryOp::clip:
      return with([=](double x) {
        const double raised = x < alpha ? alpha : x;
        return raised > beta ? beta : raised;
      });
    case UnaryOp::reciprocal:
      return with([](double x) { return 1.0 / x; });
    case UnaryOp::negate:
      return with([](double x) { return -x; });
    case UnaryOp::absolute:
      return with([](double x) { return std::abs(x); });
    case UnaryOp::sigmoid:
      return with(logistic);
    case UnaryOp::sign:
      return with([](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
    case UnaryOp::hard_sigmoid:
      return with([=](double x) { return at_most_one(at_least_zero(alpha * x + beta)); });
    case UnaryOp::hard_swish:
      return with([](double x) { return x * at_most_one(at_least_zero(x / 6.0 + 0.5)); });
    case UnaryOp::elu:
      return with([=](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
    case UnaryOp::selu:
      return with([=](double x) { return beta * (x < 0 ? alpha * std::expm1(x) : x); });
    case UnaryOp::celu:
      return with([=](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; });
    case UnaryOp::thresholded_relu:
      return with([=](double x) { return x > alpha ? x : 0.0; });
    case UnaryOp::shrink:
      return with([=](double x) { return x < -alpha ? x + beta : x > alpha ? x - beta : 0.0; });
    case UnaryOp::softplus:
      return with(softplus);
    case UnaryOp::softsign:
      return with([](double x) { return x / (1.0 + std::abs(x)); });
    case UnaryOp::gelu:
      return with([](double x) { return 0.5 * x * (1.0 + std::erf(x * std::sqrt(0.5))); });
    case UnaryOp::gelu_tanh:
      return with(
          [](double x) { return x * logistic(1.5957691216057308 * (x + 0.044715 * x * x * x)); });
    case UnaryOp::mish:
      return with([](double x) { return x * std::tanh(softplus(x)); });
    case UnaryOp::swish:
      return with([=](double x) { return x * logistic(alpha * x); });
    case UnaryOp::affine:
      return with([=](double x) { return alpha * x + beta; });
    case UnaryOp::scaled_tanh:
      return with([=](double x) { return alpha * std::tanh(beta * x); });
    case UnaryOp::scaled_softplus:
      return with([=](double x) { return alpha * softplus(beta * x); });
    default:
      ORTOOL_CHECK(library_unary(op, in, out, count));
  }
}

void float_unary(Isa isa, UnaryOp op, UnaryParameters parameters, const float* in, float* out,
                 std::int64_t count) {
  if (!vector_unary(isa, op, in, out, count, parameters)) {
    ORTOOL_CHECK(library_unary(op, in, out, count));
  }
}

template <typename Half>
void fp16_unary(UnaryOp op, UnaryParameters parameters, const Half* in, Half* out,
                std::int64_t count, Workers& workers, Isa isa) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            float values[unary_block];
                            for (std::int64_t i = begin; i < end; i += unary_block) {
                              const std::int64_t size = std::min(unary_block, end - i);
                              convert_to_float(in + i, values, size);
                              float_unary(isa, op, parameters, values, values, size);
                              convert_from_float(values, out + i, size);
                            }
                          });
}

}  // namespace

void unary(UnaryOp op, UnaryParameters parameters, const float* in, float* out, std::int64_t count,
           Workers& workers, Isa isa) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            float_unary(isa, op, parameters, in + begin, out + begin, end - begin);
                          });
}

void unary(UnaryOp op, UnaryParameters parameters, const double* in, double* out,
           std::int64_t count, Workers& workers, Isa) {
  workers.parallel_ranges(count, double_grain, [&](std::int64_t begin, std::int64_t end) {
    double_unary(op, parameters, in + begin, out + begin, end - begin);
  });
}

void unary(UnaryOp op, UnaryParameters parameters, const Float16Bits* in, Float16Bits* out,
           std::int64_t count, Workers& workers, Isa isa) {
  fp16_unary(op, parameters, in, out, count, workers, isa);
}

void unary(UnaryOp op, UnaryParameters parameters, const BFloat16Bits* in, BFloat16Bits* out,
           std::int64_t count, Workers& workers, Isa isa) {
  fp16_unary(op, parameters, in, out, count, workers, isa);
}

template <typename Integer>
void unary_integer(UnaryOp op, const Integer* in, Integer* out, std::int64_t count,
                   Workers& workers) {
  const auto negated = [](Integer x) {
    using Unsigned = std::make_unsigned_t<Integer>;
    return static_cast<Integer>(static_cast<Unsigned>(Unsigned{0} - static_cast<Unsigned>(x)));
  };
  workers.parallel_ranges(
      count, elementwise_grain_size(count), [&](std::int64_t begin, std::int64_t end) {
        const auto with = [&](auto function) {
          map(in + begin, out + begin, end - begin, function);
        };
        switch (op) {
          case UnaryOp::relu:
            return with([](Integer x) { return std::max(x, Integer{0}); });
          case UnaryOp::negate:
            return with(negated);
          case UnaryOp::absolute:
            return with([&](Integer x) { return x < Integer{0} ? negated(x) : x; });
          case UnaryOp::sign:
            return with([](Integer x) {
              return static_cast<Integer>(static_cast<int>(x > Integer{0}) -
                                          static_cast<int>(x < Integer{0}));
            });
          default:
            ORTOOL_CHECK(false && "no integer form");
        }
      });
}

template <typename Integer>
void unary_real_integer(UnaryOp op, UnaryParameters parameters, const Integer* in, Integer* out,
                        std::int64_t count, Workers& workers) {
  // long double represents every 64-bit integer.
  const long double lambd = parameters.alpha;
  const long double bias = parameters.beta;
  ORTOOL_CHECK(op == UnaryOp::erf || op == UnaryOp::shrink);
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            map(in + begin, out + begin, end - begin, [=](Integer x) {
                              const auto real = static_cast<long double>(x);
                              if (op == UnaryOp::erf)
                                return convert_number<Integer>(std::erf(static_cast<double>(real)));
                              const long double high = real > lambd ? real - bias : 0.0L;
                              return convert_number<Integer>(real < -lambd ? real + bias : high);
                            });
                          });
}

template <typename T>
void clip(const T* in, T* out, std::int64_t count, T low, T high, Workers& workers) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            map(in + begin, out + begin, end - begin, [=](T x) {
                              const T raised = x < low ? low : x;
                              return raised > high ? high : raised;
                            });
                          });
}

template <typename T>
void is_nan(const T* in, bool* out, std::int64_t count, Workers& workers) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              if constexpr (std::is_same_v<T, double>) {
                                out[i] = std::isnan(in[i]);
                              } else {
                                out[i] = std::isnan(to_float(in[i]));
                              }
                            }
                          });
}

template <typename T>
void is_infinite(const T* in, bool* out, std::int64_t count, bool positive, bool negative,
                 Workers& workers) {
  const auto matches = [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); };
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              if constexpr (std::is_same_v<T, double>) {
                                out[i] = matches(in[i]);
                              } else {
                                out[i] = matches(to_float(in[i]));
                              }
                            }
                          });
}

namespace {

/// out[i] = holds(value of in[i]), by a lookup table.
template <typename Predicate>
void map_float8(DataType type, const std::uint8_t* in, bool* out, std::int64_t count,
                Workers& workers, Predicate holds) {
  bool table[256];
  for (std::size_t bits = 0; bits < 256; ++bits) table[bits] = holds(decode_float(type, bits));
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) out[i] = table[in[i]];
                          });
}

}  // namespace

void is_nan_float8(DataType type, const std::uint8_t* in, bool* out, std::int64_t count,
                   Workers& workers) {
  map_float8(type, in, out, count, workers, [](double x) { return std::isnan(x); });
}

void is_infinite_float8(DataType type, const std::uint8_t* in, bool* out, std::int64_t count,
                        bool positive, bool negative, Workers& workers) {
  map_float8(type, in, out, count, workers,
             [=](double x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

void logical_not(const bool* in, bool* out, std::int64_t count, Workers& workers) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            map(in + begin, out + begin, end - begin, [](bool x) { return !x; });
                          });
}

template <typename Integer>
void bitwise_not(const Integer* in, Integer* out, std::int64_t count, Workers& workers) {
  workers.parallel_ranges(count, elementwise_grain_size(count),
                          [&](std::int64_t begin, std::int64_t end) {
                            map(in + begin, out + begin, end - begin,
                                [](Integer x) { return static_cast<Integer>(~x); });
                          });
}

#define ORTOOL_INTEGER(T)                                                                \
  template void unary_integer(UnaryOp, const T*, T*, std::int64_t, Workers&);            \
  template void unary_real_integer(UnaryOp, UnaryParameters, const T*, T*, std::int64_t, \
                                   Workers&);                                            \
  template void bitwise_not(const T*, T*, std::int64_t, Workers&);                       \
  template void clip(const T*, T*, std::int64_t, T, T, Workers&);
ORTOOL_INTEGER(std::int8_t)
ORTOOL_INTEGER(std::int16_t)
ORTOOL_INTEGER(std::int32_t)
ORTOOL_INTEGER(std::int64_t)
ORTOOL_INTEGER(std::uint8_t)
ORTOOL_INTEGER(std::uint16_t)
ORTOOL_INTEGER(std::uint32_t)
ORTOOL_INTEGER(std::uint64_t)
#undef ORTOOL_INTEGER
template void clip(const float*, float*, std::int64_t, float, float, Workers&);
template void clip(const double*, double*, std::int64_t, double, double, Workers&);

#define ORTOOL_FLOATING(T)                                       \
  template void is_nan(const T*, bool*, std::int64_t, Workers&); \
  template void is_infinite(const T*, bool*, std::int64_t, bool, bool, Workers&);
ORTOOL_FLOATING(float)
ORTOOL_FLOATING(double)
ORTOOL_FLOATING(Float16Bits)
ORTOOL_FLOATING(BFloat16Bits)
#undef ORTOOL_FLOATING

}  // namespace ortool::cpu
