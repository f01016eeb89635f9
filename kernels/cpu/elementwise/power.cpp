// Pow: the result has the base's type; the exponent's type may differ.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t power_grain = 4096;
constexpr std::int64_t square_grain = 32768;
/// Elements that are widened at once.
constexpr std::int64_t power_chunk = 128;

/// The type in which elements of type T enter a power.
template <typename T>
using WideElement = std::conditional_t<
    is_fp16<T>, float,
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<std::is_same_v<T, std::uint64_t>, T, std::int64_t>>>;

std::uint64_t integer_power(auto base, auto exponent) {
  if (exponent < 0) {
    const bool is_odd = (static_cast<std::uint64_t>(exponent) & 1U) != 0;
    if (base == 1) return 1;
    if (base < 0 && base + 1 == 0) return is_odd ? static_cast<std::uint64_t>(base) : 1;
    return 0;
  }
  std::uint64_t result = 1;
  std::uint64_t square = static_cast<std::uint64_t>(base);
  for (std::uint64_t rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1U) != 0) result *= square;
    square *= square;
  }
  return result;
}

float float_power(float x, float y) {
  if (y == 2.0F) return x * x;
  if (y == 3.0F) return x * x * x;
  return std::pow(x, y);
}

/// Of integers, as many low bits as the result has; of two floats, a float; otherwise a double.
auto power_of(auto base, auto exponent) {
  using Base = decltype(base);
  using Exponent = decltype(exponent);
  if constexpr (std::is_integral_v<Base> && std::is_integral_v<Exponent>) {
    return integer_power(base, exponent);
  } else if constexpr (std::is_same_v<Base, float> && std::is_same_v<Exponent, float>) {
    return float_power(base, exponent);
  } else {
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
}

/// The exponent if it is a single float for all elements, else 0.
float common_exponent(const float* exponents, const BroadcastPlan& plan) {
  for (const BroadcastPlan::Loop& loop : plan.loops) {
    if (loop.strides[1] != 0 && loop.size > 1) return 0.0F;
  }
  return plan.count > 0 ? exponents[0] : 0.0F;
}

/// Squares or cubes of all elements, computed like float_power.
void small_powers(const float* in, float* out, std::int64_t count, bool is_cube, Workers& workers) {
  workers.parallel_ranges(count, square_grain, [&](std::int64_t begin, std::int64_t end) {
    if (is_cube) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = in[i] * in[i] * in[i];
    } else {
      for (std::int64_t i = begin; i < end; ++i) out[i] = in[i] * in[i];
    }
  });
}

void power_of_floats(const float* a, const float* b, float* out, const BroadcastPlan& plan,
                     Workers& workers) {
  const float exponent = common_exponent(b, plan);
  const bool is_plain = plan.loops.size() == 1 && plan.loops[0].strides[0] == 1;
  if (is_plain && (exponent == 2.0F || exponent == 3.0F))
    return small_powers(a, out, plan.count, exponent == 3.0F, workers);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(plan.count, power_grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      const float* row_a = a + offsets[0];
      const float* row_b = b + offsets[1];
      for (std::int64_t i = 0; i < length; ++i)
        out[to + i] = float_power(row_a[i * inner.strides[0]], row_b[i * inner.strides[1]]);
    });
  });
}

/// Elements or results of up to power_chunk powers.
struct WideChunk {
  alignas(8) std::byte bytes[power_chunk * 8];

  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(bytes);
  }
};

/// Elements of one type: at an offset, from adjacent ones or with a stride.
using WidenElements = void (*)(const void* from, std::int64_t offset, std::int64_t stride,
                               std::int64_t count, WideChunk& to);
using NarrowResults = void (*)(WideChunk& from, std::int64_t count, void* to, std::int64_t offset);
using WidePower = void (*)(WideChunk& bases, WideChunk& exponents, std::int64_t count,
                           WideChunk& results);

template <typename T>
void widen_elements(const void* from, std::int64_t offset, std::int64_t stride, std::int64_t count,
                    WideChunk& to) {
  const T* in = static_cast<const T*>(from) + offset;
  auto* out = to.as<WideElement<T>>();
  for (std::int64_t i = 0; i < count; ++i) out[i] = convert_number<WideElement<T>>(in[i * stride]);
}

template <typename T, typename Result>
void narrow_results(WideChunk& from, std::int64_t count, void* to, std::int64_t offset) {
  const Result* in = from.as<Result>();
  T* out = static_cast<T*>(to) + offset;
  for (std::int64_t i = 0; i < count; ++i) out[i] = convert_number<T>(in[i]);
}

template <typename Base, typename Exponent>
void wide_power(WideChunk& bases, WideChunk& exponents, std::int64_t count, WideChunk& results) {
  const Base* a = bases.as<Base>();
  const Exponent* b = exponents.as<Exponent>();
  auto* out = results.as<decltype(power_of(*a, *b))>();
  for (std::int64_t i = 0; i < count; ++i) out[i] = power_of(a[i], b[i]);
}

/// What a power of two element types is made of: each type is widened, and the result narrowed, so
/// that there is one loop for all types of a kind.
struct PowerSteps {
  WidenElements base;
  WidenElements exponent;
  WidePower power;
  NarrowResults result;
};

/// Calls function(T{}) for the type in which elements of `type` enter a power.
template <typename Function>
void dispatch_wide(DataType type, Function&& function) {
  switch (type) {
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32:
      return function(float{});
    case DataType::float64:
      return function(double{});
    case DataType::uint64:
      return function(std::uint64_t{});
    default:
      return function(std::int64_t{});
  }
}

WidenElements choose_widening(DataType type) {
  return dispatch_data_type(type, [](auto element) -> WidenElements {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, bool>) ORTOOL_CHECK(false && "power of booleans");
    return widen_elements<T>;
  });
}

PowerSteps choose_steps(DataType type, DataType exponent_type) {
  PowerSteps steps = {choose_widening(type), choose_widening(exponent_type), nullptr, nullptr};
  bool is_float = false;
  bool is_integer = false;
  dispatch_wide(type, [&](auto base) {
    dispatch_wide(exponent_type, [&](auto exponent) {
      using Result = decltype(power_of(base, exponent));
      is_float = std::is_same_v<Result, float>;
      is_integer = std::is_same_v<Result, std::uint64_t>;
      steps.power = wide_power<decltype(base), decltype(exponent)>;
    });
  });
  steps.result = dispatch_data_type(type, [&](auto element) -> NarrowResults {
    using T = decltype(element);
    if constexpr (std::is_integral_v<T>) {
      if (is_integer) return narrow_results<T, std::uint64_t>;
    } else {
      if (is_float) return narrow_results<T, float>;
    }
    return narrow_results<T, double>;
  });
  return steps;
}

}  // namespace

void power(DataType type, DataType exponent_type, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, Workers& workers) {
  if (type == DataType::float32 && exponent_type == DataType::float32) {
    return power_of_floats(static_cast<const float*>(a), static_cast<const float*>(b),
                           static_cast<float*>(out), plan, workers);
  }
  const PowerSteps steps = choose_steps(type, exponent_type);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(plan.count, power_grain, [&](std::int64_t begin, std::int64_t end) {
    WideChunk bases;
    WideChunk exponents;
    WideChunk results;
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      for (std::int64_t i = 0; i < length; i += power_chunk) {
        const std::int64_t count = std::min(power_chunk, length - i);
        steps.base(a, offsets[0] + i * inner.strides[0], inner.strides[0], count, bases);
        steps.exponent(b, offsets[1] + i * inner.strides[1], inner.strides[1], count, exponents);
        steps.power(bases, exponents, count, results);
        steps.result(results, count, out, to + i);
      }
    });
  });
}

}  // namespace ortool::cpu
