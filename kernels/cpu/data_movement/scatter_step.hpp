// Scatter loops: combine updates with the existing elements, by operation and type.
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

/// Updates elements at `places`, in their order.
using ScatterElements = void (*)(void* out, const std::int64_t* places, const void* updates,
                                 std::int64_t first_update, std::int64_t count);
/// Updates adjacent elements from `place` on.
using UpdateElements = void (*)(void* out, std::int64_t place, const void* updates,
                                std::int64_t first_update, std::int64_t count);

/// The loops for an operation and an element type; what finds the places is the same for all.
struct ScatterLoops {
  ScatterElements scatter;
  UpdateElements update;
};

template <ScatterOp op, typename T>
constexpr ScatterLoops scatter_loops = {
    [](void* out, const std::int64_t* places, const void* updates, std::int64_t first_update,
       std::int64_t count) {
      T* to = static_cast<T*>(out);
      const T* from = static_cast<const T*>(updates) + first_update;
      for (std::int64_t i = 0; i < count; ++i)
        to[places[i]] = scatter_step<op>(to[places[i]], from[i]);
    },
    [](void* out, std::int64_t place, const void* updates, std::int64_t first_update,
       std::int64_t count) {
      T* to = static_cast<T*>(out) + place;
      const T* from = static_cast<const T*>(updates) + first_update;
      for (std::int64_t i = 0; i < count; ++i) to[i] = scatter_step<op>(to[i], from[i]);
    }};

inline ScatterLoops choose_scatter_loops(ScatterOp op, DataType type) {
  if (op == ScatterOp::replace) {
    ScatterLoops loops = {};
    dispatch_element_size(element_bits(type) / 8, [&](auto element) {
      loops = scatter_loops<ScatterOp::replace, decltype(element)>;
    });
    return loops;
  }
  const auto sum = [&](auto element) {
    using T = decltype(element);
    return op == ScatterOp::add ? scatter_loops<ScatterOp::add, T>
                                : scatter_loops<ScatterOp::multiply, T>;
  };
  if (type == DataType::complex64) return sum(std::complex<float>());
  if (type == DataType::complex128) return sum(std::complex<double>());
  return dispatch_data_type(type, [&](auto element) -> ScatterLoops {
    using T = decltype(element);
    if (op == ScatterOp::maximum) return scatter_loops<ScatterOp::maximum, T>;
    if (op == ScatterOp::minimum) return scatter_loops<ScatterOp::minimum, T>;
    // Sums and products of signed integers have the bits of unsigned ones.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return sum(std::make_unsigned_t<T>());
    } else {
      return sum(element);
    }
  });
}

}  // namespace ortool::cpu
