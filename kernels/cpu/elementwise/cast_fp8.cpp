// Casts to and from fp8 and sub-byte types: from narrow types by a lookup table, from wide ones one
// by one through float64 or int64.
#include "kernels/cpu/elementwise/cast_fp8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "kernels/cpu/types/dispatch_element_size.hpp"
#include "kernels/cpu/types/pack_subbyte.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t narrow_grain = 16384;
constexpr std::int64_t narrow_block = 512;

/// A tensor of all bit patterns of a type of at most 8 bits.
Tensor all_patterns(DataType type) {
  const int bits = element_bits(type);
  std::uint8_t patterns[256];
  for (unsigned i = 0; i < 256; ++i) patterns[i] = static_cast<std::uint8_t>(i);
  Tensor tensor(type, {std::int64_t{1} << bits});
  if (bits == 8) {
    std::memcpy(tensor.mutable_bytes(), patterns, 256);
  } else {
    Workers alone;
    pack_elements(bits, patterns, tensor.mutable_bytes(), tensor.element_count(), alone);
  }
  return tensor;
}

/// Rounds to odd if there are more than 53 bits, so that rounding again gives the same result as
/// rounding once.
double to_odd_double(std::uint64_t magnitude) {
  const int spare = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (spare <= 0) return static_cast<double>(magnitude);
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << spare) - 1);
  const std::uint64_t kept = magnitude >> spare << spare;
  return static_cast<double>(lost == 0 ? kept : kept | std::uint64_t{1} << spare);
}

template <typename From>
double to_wide(From value) {
  if constexpr (std::is_integral_v<From>) {
    const bool is_negative = value < From{0};
    const auto bits = static_cast<std::uint64_t>(value);
    const double magnitude = to_odd_double(is_negative ? ~bits + 1 : bits);
    return is_negative ? -magnitude : magnitude;
  } else {
    return convert_number<double>(value);
  }
}

/// The bit pattern of a number in a packed integer type.
template <typename From>
std::uint8_t integer_pattern(From value, const NarrowCast& cast) {
  const auto whole = convert_number<std::int64_t>(value);
  if (std::is_integral_v<From> || cast.wraps) return static_cast<std::uint8_t>(whole);
  const bool is_signed = is_signed_integer(cast.to);
  const std::int64_t high = (std::int64_t{1} << (element_bits(cast.to) - (is_signed ? 1 : 0))) - 1;
  return static_cast<std::uint8_t>(std::clamp(whole, is_signed ? -high - 1 : 0, high));
}

/// Bit patterns of `count` elements, one byte each, from elements of a wide type.
template <typename From>
void write_patterns(const NarrowCast& cast, const From* in, std::uint8_t* out, std::int64_t count) {
  if (is_floating_point(cast.to)) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::uint8_t>(encode_float(cast.to, to_wide(in[i]), cast.rounding));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] = integer_pattern(in[i], cast);
  }
}

/// Calls body(patterns, first element, elements) for blocks of elements of a narrow type.
template <typename Body>
void for_patterns(DataType type, const void* in, std::int64_t begin, std::int64_t end,
                  Workers& workers, Body body) {
  const int bits = element_bits(type);
  const auto* bytes = static_cast<const std::byte*>(in);
  std::uint8_t block[narrow_block];
  for (std::int64_t i = begin; i < end; i += narrow_block) {
    const std::int64_t size = std::min(narrow_block, end - i);
    if (bits < 8) unpack_elements(bits, bytes + i / 4 * (bits / 2), block, size, workers);
    body(bits < 8 ? block : reinterpret_cast<const std::uint8_t*>(bytes + i), i, size);
  }
}

void by_table(const NarrowCast& cast, const void* in, void* out, std::int64_t count,
              Workers& workers) {
  const int bits = element_bits(cast.to);
  const std::int64_t element_bytes = std::max(bits, 8) / 8;
  dispatch_element_size(element_bytes, [&](auto element) {
    using To = decltype(element);
    if constexpr (sizeof(To) <= 8) {
      To table[256];
      for (std::size_t i = 0; i < 256; ++i) table[i] = static_cast<To>(cast.table[i]);
      workers.parallel_ranges(count, narrow_grain, [&](std::int64_t begin, std::int64_t end) {
        for_patterns(cast.from, in, begin, end, workers,
                     [&](const std::uint8_t* patterns, std::int64_t first, std::int64_t size) {
                       To block[narrow_block];
                       To* to = bits < 8 ? block : static_cast<To*>(out) + first;
                       for (std::int64_t i = 0; i < size; ++i) to[i] = table[patterns[i]];
                       if (bits >= 8) return;
                       pack_elements(bits, reinterpret_cast<const std::uint8_t*>(block),
                                     static_cast<std::byte*>(out) + first / 4 * (bits / 2), size,
                                     workers);
                     });
      });
    }
  });
}

}  // namespace

NarrowCast plan_narrow_cast(DataType from, DataType to, FloatCast rounding, bool wraps) {
  NarrowCast cast = {from, to, rounding, wraps, element_bits(from) <= 8, {}};
  if (!cast.has_table) return cast;
  Tensor patterns = all_patterns(from);
  if (wraps && is_packed(to) && is_integer(to)) patterns = convert(patterns, DataType::int64);
  const Tensor converted = convert(patterns, to, rounding);
  const int bits = element_bits(to);
  const std::int64_t count = converted.element_count();
  if (bits < 8) {
    std::uint8_t unpacked[256];
    Workers alone;
    unpack_elements(bits, converted.bytes(), unpacked, count, alone);
    std::copy_n(unpacked, count, cast.table.begin());
    return cast;
  }
  const std::int64_t bytes = bits / 8;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(&cast.table[static_cast<std::size_t>(i)], converted.bytes() + i * bytes,
                static_cast<std::size_t>(bytes));
  }
  return cast;
}

void narrow_cast(const NarrowCast& cast, const void* in, void* out, std::int64_t count,
                 Workers& workers) {
  if (cast.has_table) return by_table(cast, in, out, count, workers);
  const int bits = element_bits(cast.to);
  auto* bytes = static_cast<std::byte*>(out);
  dispatch_data_type(cast.from, [&](auto number) {
    const auto* from = static_cast<const decltype(number)*>(in);
    workers.parallel_ranges(count, narrow_grain, [&](std::int64_t begin, std::int64_t end) {
      std::uint8_t block[narrow_block];
      for (std::int64_t i = begin; i < end; i += narrow_block) {
        const std::int64_t size = std::min(narrow_block, end - i);
        write_patterns(cast, from + i,
                       bits < 8 ? block : reinterpret_cast<std::uint8_t*>(bytes + i), size);
        if (bits < 8) pack_elements(bits, block, bytes + i / 4 * (bits / 2), size, workers);
      }
    });
  });
}

}  // namespace ortool::cpu
