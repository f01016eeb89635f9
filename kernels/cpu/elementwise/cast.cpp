// Cast and Where: one plain loop per pair of types, and those of an instruction set for frequent
// pairs.
#include "kernels/cpu/elementwise/cast.hpp"

#include <optional>
#include <type_traits>

#include "kernels/cpu/elementwise/cast_rows.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t cast_grain = 32768;

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

void where_by_rows(const CastRowFunctions& functions, const bool* condition, const void* a,
                   const void* b, void* out, const BroadcastPlan& plan, std::int64_t element_bytes,
                   Workers& workers) {
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(plan.count, cast_grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
      const WhereRow row = {
          .condition = reinterpret_cast<const std::uint8_t*>(condition + offsets[0]),
          .a = static_cast<const std::byte*>(a) + offsets[1] * element_bytes,
          .b = static_cast<const std::byte*>(b) + offsets[2] * element_bytes,
          .a_step = inner.strides[1],
          .b_step = inner.strides[2],
          .out = static_cast<std::byte*>(out) + at * element_bytes,
          .count = length};
      functions.where(row, element_bytes);
    });
  });
}

/// The loops' name of a type, if they have it; bool as an integer of 0 or 1.
std::optional<NumberType> row_type_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return NumberType::float32;
    case DataType::int8:
      return NumberType::int8;
    case DataType::int32:
      return NumberType::int32;
    case DataType::int64:
      return NumberType::int64;
    case DataType::uint8:
    case DataType::boolean:
      return NumberType::uint8;
    default:
      return std::nullopt;
  }
}

/// False if the instruction set has no loop for the pair of types.
bool cast_by_rows(DataType from, const void* in, DataType to, void* out, std::int64_t count,
                  Workers& workers, Isa isa) {
  const CastRowFunctions* functions = cast_row_functions(isa);
  const std::optional<NumberType> source = row_type_of(from);
  const std::optional<NumberType> target = row_type_of(to);
  if (functions == nullptr || !source || !target) return false;
  const std::int64_t in_bytes = element_bits(from) / 8;
  const std::int64_t out_bytes = element_bits(to) / 8;
  workers.parallel_ranges(count, cast_grain, [&](std::int64_t begin, std::int64_t end) {
    const void* first = static_cast<const std::byte*>(in) + begin * in_bytes;
    std::byte* written = static_cast<std::byte*>(out) + begin * out_bytes;
    if (to == DataType::boolean) {
      functions->cast_to_bool(*source, first, reinterpret_cast<std::uint8_t*>(written),
                              end - begin);
    } else {
      functions->cast(*source, *target, first, written, end - begin);
    }
  });
  return true;
}

struct SixteenBytes {
  std::uint64_t halves[2];
};

template <typename From, typename To>
void cast_elements(const void* in, void* out, std::int64_t count, Workers& workers) {
  const auto* all_in = static_cast<const From*>(in);
  auto* all_out = static_cast<To*>(out);
  workers.parallel_ranges(count, cast_grain, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) all_out[i] = convert_number<To>(all_in[i]);
  });
}

template <typename T>
constexpr bool is_integer_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace

void cast(DataType from, const void* in, DataType to, void* out, std::int64_t count,
          Workers& workers, Isa isa) {
  if (cast_by_rows(from, in, to, out, count, workers, isa)) return;
  dispatch_data_type(from, [&](auto from_value) {
    dispatch_data_type(to, [&](auto to_value) {
      using From = decltype(from_value);
      using To = decltype(to_value);
      using Integer = std::conditional_t<std::is_same_v<From, bool>, std::uint8_t, From>;
      if constexpr (is_integer_type<Integer> && is_integer_type<To>) {
        // Both signs of a target have the same bits, and so have those of a source that is cut.
        constexpr bool widens = sizeof(To) > sizeof(Integer);
        using Source = std::conditional_t<widens, Integer, std::make_unsigned_t<Integer>>;
        cast_elements<Source, std::make_unsigned_t<To>>(in, out, count, workers);
      } else {
        cast_elements<Integer, To>(in, out, count, workers);
      }
    });
  });
}

void where(const bool* condition, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, std::int64_t element_bytes, Workers& workers, Isa isa) {
  const CastRowFunctions* functions = cast_row_functions(isa);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  if (functions != nullptr && (element_bytes == 4 || element_bytes == 8) && inner.strides[0] != 0)
    return where_by_rows(*functions, condition, a, b, out, plan, element_bytes, workers);
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
