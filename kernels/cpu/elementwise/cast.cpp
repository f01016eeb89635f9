// Cast and Where: one plain loop per pair of types.
#include "kernels/cpu/elementwise/cast.hpp"

#include <type_traits>

#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t cast_grain = 32768;

/// A row of Where with strides known at compile time.
template <std::int64_t a_step, std::int64_t b_step, typename T>
void choose_row(const bool* condition, const T* a, const T* b, T* out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) {
    const T x = a[i * a_step];
    const T y = b[i * b_step];
    out[i] = condition[i] ? x : y;
  }
}

/// condition ? x : y by masks, since a branch would be mispredicted half of the time.
template <typename T>
T choose(bool condition, T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    const auto mask = static_cast<T>(T{0} - static_cast<T>(condition));
    return static_cast<T>((x & mask) | (y & static_cast<T>(~mask)));
  } else {
    return {choose(condition, x.halves[0], y.halves[0]),
            choose(condition, x.halves[1], y.halves[1])};
  }
}

/// A row of the innermost loop; broadcast operands are read once.
template <typename T, bool walks_condition, bool walks_a, bool walks_b>
void where_row(const bool* condition, const T* a, const T* b, T* out, std::int64_t count) {
// `out` may be a or b, but each element depends on its own index only.
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::int64_t i = 0; i < count; ++i) {
    const T x = a[walks_a ? i : 0];
    const T y = b[walks_b ? i : 0];
    out[i] = choose(condition[walks_condition ? i : 0], x, y);
  }
}

template <typename T>
auto where_row_of(const BroadcastPlan::Loop& inner) {
  const auto of_operands = [&](auto walks_condition) {
    constexpr bool walks = decltype(walks_condition)::value;
    if (inner.strides[1] != 0) {
      return inner.strides[2] != 0 ? where_row<T, walks, true, true>
                                   : where_row<T, walks, true, false>;
    }
    return inner.strides[2] != 0 ? where_row<T, walks, false, true>
                                 : where_row<T, walks, false, false>;
  };
  return inner.strides[0] != 0 ? of_operands(std::true_type()) : of_operands(std::false_type());
}

template <typename T>
void where_typed(const bool* condition, const void* a, const void* b, void* out,
                 const BroadcastPlan& plan, Workers& workers) {
  const auto row = where_row_of<T>(plan.loops.back());
  workers.parallel_ranges(plan.count, cast_grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
      row(condition + offsets[0], static_cast<const T*>(a) + offsets[1],
          static_cast<const T*>(b) + offsets[2], static_cast<T*>(out) + at, length);
    });
  });
}

struct SixteenBytes {
  std::uint64_t halves[2];
};

}  // namespace

void cast(DataType from, const void* in, DataType to, void* out, std::int64_t count,
          Workers& workers) {
  dispatch_data_type(from, [&](auto from_value) {
    dispatch_data_type(to, [&](auto to_value) {
      using From = decltype(from_value);
      using To = decltype(to_value);
      const From* all_in = static_cast<const From*>(in);
      To* all_out = static_cast<To*>(out);
      workers.parallel_ranges(count, cast_grain, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) all_out[i] = convert_number<To>(all_in[i]);
      });
    });
  });
}

void where(const bool* condition, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, std::int64_t element_bytes, Workers& workers) {
  switch (element_bytes) {
    case 1:
      return where_typed<std::uint8_t>(condition, a, b, out, plan, workers);
    case 2:
      return where_typed<std::uint16_t>(condition, a, b, out, plan, workers);
    case 4:
      return where_typed<std::uint32_t>(condition, a, b, out, plan, workers);
    case 8:
      return where_typed<std::uint64_t>(condition, a, b, out, plan, workers);
    case 16:
      return where_typed<SixteenBytes>(condition, a, b, out, plan, workers);
    default:
      ORTOOL_CHECK(false && "element size");
  }
}

}  // namespace ortool::cpu
