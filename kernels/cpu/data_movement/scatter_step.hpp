// Scatter update functions: combine an update with the existing element, by operation and type.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/data_movement/scatter.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "kernels/cpu/types/dispatch_element_size.hpp"

namespace ortool::cpu {

template <ScatterOp op, typename T>
inline T scatter_step(T old, T update) {
  if constexpr (op == ScatterOp::replace) {
    return update;
  } else if constexpr (is_fp16<T>) {
    T result;
    from_float(scatter_step<op>(to_float(old), to_float(update)), result);
    return result;
  } else if constexpr (std::is_same_v<T, bool>) {
    return op == ScatterOp::add || op == ScatterOp::maximum ? old || update : old && update;
  } else if constexpr (op == ScatterOp::maximum || op == ScatterOp::minimum) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(old)) return old;
      if (std::isnan(update)) return update;
    }
    return (op == ScatterOp::maximum ? old < update : update < old) ? update : old;
  } else if constexpr (std::is_integral_v<T>) {
    const auto a = static_cast<std::uint64_t>(old);
    const auto b = static_cast<std::uint64_t>(update);
    return static_cast<T>(op == ScatterOp::add ? a + b : a * b);
  } else {
    return op == ScatterOp::add ? old + update : old * update;
  }
}

/// Calls function(element, step) with a value of type T and a function (T, T) -> T.
template <typename Function>
void with_scatter_step(ScatterOp op, DataType type, Function function) {
  const auto with = [&](auto element, auto operation) {
    using T = decltype(element);
    function(element,
             [](T old, T update) { return scatter_step<decltype(operation)::value>(old, update); });
  };
  using Replace = std::integral_constant<ScatterOp, ScatterOp::replace>;
  using Add = std::integral_constant<ScatterOp, ScatterOp::add>;
  using Multiply = std::integral_constant<ScatterOp, ScatterOp::multiply>;
  using Maximum = std::integral_constant<ScatterOp, ScatterOp::maximum>;
  using Minimum = std::integral_constant<ScatterOp, ScatterOp::minimum>;
  if (op == ScatterOp::replace) {
    dispatch_element_size(element_bits(type) / 8, [&](auto element) { with(element, Replace()); });
    return;
  }
  const auto with_sum = [&](auto element) {
    return op == ScatterOp::add ? with(element, Add()) : with(element, Multiply());
  };
  if (type == DataType::complex64) return with_sum(std::complex<float>());
  if (type == DataType::complex128) return with_sum(std::complex<double>());
  dispatch_data_type(type, [&](auto element) {
    if (op == ScatterOp::maximum) return with(element, Maximum());
    if (op == ScatterOp::minimum) return with(element, Minimum());
    with_sum(element);
  });
}

}  // namespace ortool::cpu
