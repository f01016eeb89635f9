// Pow: the result has the base's type; the exponent's type may differ.
#include <cmath>
#include <type_traits>

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t power_grain = 4096;
constexpr std::int64_t square_grain = 32768;

template <typename T>
using Computed = std::conditional_t<is_fp16<T>, float, T>;

template <typename Base, typename Exponent>
Base integer_power(Base base, Exponent exponent) {
  if (exponent < Exponent{0}) {
    if (base == Base{1}) return base;
    if (base == static_cast<Base>(-1) && base < Base{0}) {
      return exponent % Exponent{2} == Exponent{0} ? Base{1} : base;
    }
    return 0;
  }
  std::uint64_t result = 1;
  std::uint64_t square = static_cast<std::uint64_t>(base);
  for (std::uint64_t rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1U) != 0) result *= square;
    square *= square;
  }
  return static_cast<Base>(result);
}

template <typename Base, typename Exponent>
Base power_of(Base base, Exponent exponent) {
  using B = Computed<Base>;
  using E = Computed<Exponent>;
  if constexpr (std::is_integral_v<B> && std::is_integral_v<E>) {
    return integer_power(base, exponent);
  } else if constexpr (std::is_integral_v<B> || std::is_same_v<B, double> ||
                       !std::is_same_v<E, float>) {
    const double result = std::pow(convert_number<double>(base), convert_number<double>(exponent));
    return convert_number<Base>(result);
  } else {
    const float x = convert_number<float>(base);
    const float y = convert_number<float>(exponent);
    if (y == 2.0F) return convert_number<Base>(x * x);
    if (y == 3.0F) return convert_number<Base>(x * x * x);
    return convert_number<Base>(std::pow(x, y));
  }
}

/// The exponent if it is a single float for all elements, else 0.
template <typename Exponent>
float common_exponent(const Exponent* exponents, const BroadcastPlan& plan) {
  if constexpr (std::is_same_v<Exponent, float>) {
    for (const BroadcastPlan::Loop& loop : plan.loops) {
      if (loop.strides[1] != 0 && loop.size > 1) return 0.0F;
    }
    return plan.count > 0 ? exponents[0] : 0.0F;
  }
  return 0.0F;
}

/// Squares or cubes of all elements, computed like power_of.
void small_powers(const float* in, float* out, std::int64_t count, bool is_cube, Workers& workers) {
  workers.parallel_ranges(count, square_grain, [&](std::int64_t begin, std::int64_t end) {
    if (is_cube) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = in[i] * in[i] * in[i];
    } else {
      for (std::int64_t i = begin; i < end; ++i) out[i] = in[i] * in[i];
    }
  });
}

template <typename Base, typename Exponent>
void power_typed(const Base* a, const Exponent* b, Base* out, const BroadcastPlan& plan,
                 Workers& workers) {
  if constexpr (std::is_same_v<Base, float>) {
    const float exponent = common_exponent(b, plan);
    const bool is_plain = plan.loops.size() == 1 && plan.loops[0].strides[0] == 1;
    if (is_plain && (exponent == 2.0F || exponent == 3.0F))
      return small_powers(a, out, plan.count, exponent == 3.0F, workers);
  }
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(plan.count, power_grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      const Base* row_a = a + offsets[0];
      const Exponent* row_b = b + offsets[1];
      for (std::int64_t i = 0; i < length; ++i) {
        out[to + i] = power_of(row_a[i * inner.strides[0]], row_b[i * inner.strides[1]]);
      }
    });
  });
}

}  // namespace

void power(DataType type, DataType exponent_type, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, Workers& workers) {
  dispatch_data_type(type, [&](auto base) {
    dispatch_data_type(exponent_type, [&](auto exponent) {
      using Base = decltype(base);
      using Exponent = decltype(exponent);
      if constexpr (std::is_same_v<Base, bool> || std::is_same_v<Exponent, bool>) {
        ORTOOL_CHECK(false && "power of booleans");
      } else {
        power_typed(static_cast<const Base*>(a), static_cast<const Exponent*>(b),
                    static_cast<Base*>(out), plan, workers);
      }
    });
  });
}

}  // namespace ortool::cpu
