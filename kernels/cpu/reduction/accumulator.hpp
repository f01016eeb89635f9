// Accumulators of reductions: how partial results start, take an element, are combined, and become
// the result.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/reduction/reduce_op.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"

namespace ortool::cpu {

/// What a reduction accumulates.
enum class AccumulatorKind { sum, product, maximum, minimum, magnitudes, squares, exponentials };

constexpr bool is_extreme(AccumulatorKind kind) {
  return kind == AccumulatorKind::maximum || kind == AccumulatorKind::minimum;
}

constexpr AccumulatorKind accumulation_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::product:
      return AccumulatorKind::product;
    case ReduceOp::maximum:
      return AccumulatorKind::maximum;
    case ReduceOp::minimum:
      return AccumulatorKind::minimum;
    case ReduceOp::l1:
      return AccumulatorKind::magnitudes;
    case ReduceOp::l2:
    case ReduceOp::sum_square:
      return AccumulatorKind::squares;
    case ReduceOp::log_sum_exp:
      return AccumulatorKind::exponentials;
    default:
      return AccumulatorKind::sum;
  }
}

/// Σ e^x represented as e^maximum · sum, to avoid overflow.
struct ExponentialSum {
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0;
};

inline ExponentialSum add(ExponentialSum a, ExponentialSum b) {
  if (b.maximum == a.maximum) return {a.maximum, a.sum + b.sum};
  if (b.maximum < a.maximum) return {a.maximum, a.sum + b.sum * std::exp(b.maximum - a.maximum)};
  return {b.maximum, a.sum * std::exp(a.maximum - b.maximum) + b.sum};
}

/// Whether integers are accumulated as such.
constexpr bool is_exact_on_integers(ReduceOp op) {
  return op != ReduceOp::l2 && op != ReduceOp::log_sum && op != ReduceOp::log_sum_exp;
}

/// The type of partial results. 16-bit floats have no arithmetic of their own; integers wrap as
/// unsigned, and 64 bits make the mean of narrower ones exact.
template <ReduceOp op, typename T>
using PartialOf = std::conditional_t<
    is_extreme(accumulation_of(op)), std::conditional_t<is_fp16<T>, float, T>,
    std::conditional_t<op == ReduceOp::log_sum_exp, ExponentialSum,
                       std::conditional_t<std::is_integral_v<T> && is_exact_on_integers(op),
                                          std::uint64_t, double>>>;

template <AccumulatorKind kind, typename Number>
struct Accumulator {
  using Partial = Number;

  static Partial begin() {
    if constexpr (is_extreme(kind)) {
      using Limits = std::numeric_limits<Number>;
      if constexpr (Limits::has_infinity) {
        return kind == AccumulatorKind::maximum ? -Limits::infinity() : Limits::infinity();
      } else {
        return kind == AccumulatorKind::maximum ? Limits::lowest() : Limits::max();
      }
    } else if constexpr (kind == AccumulatorKind::exponentials) {
      return {};
    } else {
      return kind == AccumulatorKind::product ? Partial{1} : Partial{0};
    }
  }

  static Partial join(Partial a, Partial b) {
    if constexpr (kind == AccumulatorKind::exponentials) {
      return add(a, b);
    } else if constexpr (kind == AccumulatorKind::product) {
      return a * b;
    } else if constexpr (is_extreme(kind)) {
      bool takes = kind == AccumulatorKind::maximum ? b > a : b < a;
      if constexpr (std::is_floating_point_v<Number>) takes |= b != b;
      return takes ? b : a;
    } else {
      return a + b;
    }
  }

  template <typename T>
  static Partial take(Partial partial, T element) {
    const auto value = value_of(element);
    if constexpr (kind == AccumulatorKind::exponentials) {
      return add(partial, {static_cast<double>(value), 1});
    } else if constexpr (is_extreme(kind)) {
      return join(partial, value);
    } else {
      const auto number = static_cast<Partial>(value);
      if constexpr (kind == AccumulatorKind::magnitudes) {
        if constexpr (std::is_integral_v<Partial>) {
          return value < 0 ? partial - number : partial + number;
        } else {
          return partial + std::abs(number);
        }
      } else if constexpr (kind == AccumulatorKind::squares) {
        return partial + number * number;
      } else {
        return join(partial, number);
      }
    }
  }

 private:
  template <typename T>
  static auto value_of(T element) {
    if constexpr (is_fp16<T>) {
      return to_float(element);
    } else {
      return element;
    }
  }
};

/// The result of a reduction of `length` elements.
template <ReduceOp op, typename T>
T finish_reduction(PartialOf<op, T> partial, std::int64_t length) {
  constexpr bool is_integer = std::is_integral_v<T>;
  if constexpr (op == ReduceOp::log_sum_exp) {
    return convert_number<T>(partial.maximum + std::log(partial.sum));
  } else if constexpr (op == ReduceOp::log_sum) {
    return convert_number<T>(std::log(partial));
  } else if constexpr (op == ReduceOp::l2) {
    return convert_number<T>(std::sqrt(partial));
  } else if constexpr (op == ReduceOp::mean && is_integer) {
    if (length == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<std::int64_t>(partial) / length);
    } else {
      return static_cast<T>(partial / static_cast<std::uint64_t>(length));
    }
  } else if constexpr (op == ReduceOp::mean) {
    return convert_number<T>(partial / static_cast<double>(length));
  } else if constexpr (is_extreme(accumulation_of(op)) && !is_fp16<T>) {
    return partial;
  } else {
    return convert_number<T>(partial);
  }
}

}  // namespace ortool::cpu
