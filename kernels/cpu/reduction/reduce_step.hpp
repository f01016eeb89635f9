// Reduction steps: how each reduction accumulates elements, combines partial results and ends.
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

/// Partial results kept side by side on the stack.
constexpr std::int64_t reduce_lanes = 512;
constexpr std::int64_t max_bytes_of_partial = 16;

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

/// For elements of type T: how partial results start, accumulate an element, are combined, and
/// become a T.
template <ReduceOp op, typename T>
struct ReduceStep {
  static constexpr bool is_integer = std::is_integral_v<T>;
  static constexpr bool is_extreme = op == ReduceOp::maximum || op == ReduceOp::minimum;
  static constexpr bool is_exact_integer =
      is_integer && op != ReduceOp::l2 && op != ReduceOp::log_sum && op != ReduceOp::log_sum_exp;

  /// The type of comparisons: 16-bit floats have no arithmetic of their own.
  using Value = std::conditional_t<is_fp16<T>, float, T>;

  /// Integers wrap as unsigned; 64 bits make the mean of narrower ones exact.
  using Partial = std::conditional_t<
      is_extreme, Value,
      std::conditional_t<op == ReduceOp::log_sum_exp, ExponentialSum,
                         std::conditional_t<is_exact_integer, std::uint64_t, double>>>;

  static Value value_of(T element) {
    if constexpr (is_fp16<T>) {
      return to_float(element);
    } else {
      return element;
    }
  }

  static Partial begin() {
    if constexpr (is_extreme) {
      using Limits = std::numeric_limits<Value>;
      if constexpr (Limits::has_infinity) {
        return op == ReduceOp::maximum ? -Limits::infinity() : Limits::infinity();
      } else {
        return op == ReduceOp::maximum ? Limits::lowest() : Limits::max();
      }
    } else if constexpr (op == ReduceOp::log_sum_exp) {
      return {};
    } else {
      return op == ReduceOp::product ? Partial{1} : Partial{0};
    }
  }

  static Partial join(Partial a, Partial b) {
    if constexpr (op == ReduceOp::log_sum_exp) {
      return add(a, b);
    } else if constexpr (op == ReduceOp::product) {
      return a * b;
    } else if constexpr (is_extreme) {
      bool takes = op == ReduceOp::maximum ? b > a : b < a;
      if constexpr (!is_integer) takes |= b != b;
      return takes ? b : a;
    } else {
      return a + b;
    }
  }

  static Partial take(Partial partial, T element) {
    const Value value = value_of(element);
    if constexpr (is_extreme) {
      return join(partial, value);
    } else if constexpr (op == ReduceOp::log_sum_exp) {
      return add(partial, {static_cast<double>(value), 1});
    } else {
      const auto number = static_cast<Partial>(value);
      if constexpr (op == ReduceOp::l1) {
        if constexpr (is_exact_integer) {
          return value < Value{0} ? partial - number : partial + number;
        } else {
          return partial + std::abs(number);
        }
      } else if constexpr (op == ReduceOp::l2 || op == ReduceOp::sum_square) {
        return partial + number * number;
      } else {
        return join(partial, number);
      }
    }
  }

  static T finish(Partial partial, std::int64_t length) {
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
    } else if constexpr (is_extreme && !is_fp16<T>) {
      return partial;
    } else {
      return convert_number<T>(partial);
    }
  }
};

}  // namespace ortool::cpu
