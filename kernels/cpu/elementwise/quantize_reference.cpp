// Conversion of elements to and from double: loops for common types, libcore/tensor for the rest.
#include "kernels/cpu/elementwise/quantize_reference.hpp"

#include <algorithm>
#include <limits>

#include "libcore/tensor/float_formats.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
void read_unquantized(const std::byte* data, std::int64_t first, std::int64_t count, double* out) {
  const T* from = reinterpret_cast<const T*>(data) + first;
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<double>(from[i]);
}

/// Saturates to the limits of T; the numbers are integral or infinite.
template <typename T>
void write_integers(std::byte* data, std::int64_t first, std::int64_t count,
                    const double* numbers) {
  T* to = reinterpret_cast<T*>(data) + first;
  constexpr auto low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<T>(std::clamp(numbers[i], low, high));
}

std::uint64_t bits_at(const std::byte* data, std::int64_t index, int bits) {
  if (bits < 8) return get_packed(data, index, bits);
  if (bits == 8) return reinterpret_cast<const std::uint8_t*>(data)[index];
  return reinterpret_cast<const std::uint16_t*>(data)[index];
}

void set_bits(std::byte* data, std::int64_t index, int bits, std::uint64_t value) {
  if (bits < 8) {
    set_packed(data, index, bits, static_cast<std::uint8_t>(value));
  } else if (bits == 8) {
    reinterpret_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(value);
  } else {
    reinterpret_cast<std::uint16_t*>(data)[index] = static_cast<std::uint16_t>(value);
  }
}

void read_packed_integers(DataType type, const std::byte* data, std::int64_t first,
                          std::int64_t count, double* out) {
  const int bits = element_bits(type);
  const bool is_signed = is_signed_integer(type);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t value = get_packed(data, first + i, bits);
    out[i] = is_signed ? static_cast<double>(sign_extend(value, bits)) : static_cast<double>(value);
  }
}

void write_packed_integers(DataType type, std::byte* data, std::int64_t first, std::int64_t count,
                           const double* numbers) {
  const int bits = element_bits(type);
  const bool is_signed = is_signed_integer(type);
  const double low = is_signed ? -static_cast<double>(1 << (bits - 1)) : 0.0;
  const double high = static_cast<double>((1 << (is_signed ? bits - 1 : bits)) - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const int value = static_cast<int>(std::clamp(numbers[i], low, high));
    set_packed(data, first + i, bits, static_cast<std::uint8_t>(value));
  }
}

}  // namespace

void read_numbers(DataType type, const std::byte* data, std::int64_t first, std::int64_t count,
                  double* out) {
  switch (type) {
    case DataType::float32:
      return read_unquantized<float>(data, first, count, out);
    case DataType::int8:
      return read_unquantized<std::int8_t>(data, first, count, out);
    case DataType::uint8:
      return read_unquantized<std::uint8_t>(data, first, count, out);
    case DataType::int16:
      return read_unquantized<std::int16_t>(data, first, count, out);
    case DataType::uint16:
      return read_unquantized<std::uint16_t>(data, first, count, out);
    case DataType::int32:
      return read_unquantized<std::int32_t>(data, first, count, out);
    default:
      break;
  }
  if (is_integer(type)) return read_packed_integers(type, data, first, count, out);
  const int bits = element_bits(type);
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = decode_float(type, bits_at(data, first + i, bits));
}

void write_numbers(DataType type, std::byte* data, std::int64_t first, std::int64_t count,
                   const double* numbers, bool saturate) {
  switch (type) {
    case DataType::float32: {
      float* to = reinterpret_cast<float*>(data) + first;
      for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(numbers[i]);
      return;
    }
    case DataType::int8:
      return write_integers<std::int8_t>(data, first, count, numbers);
    case DataType::uint8:
      return write_integers<std::uint8_t>(data, first, count, numbers);
    case DataType::int16:
      return write_integers<std::int16_t>(data, first, count, numbers);
    case DataType::uint16:
      return write_integers<std::uint16_t>(data, first, count, numbers);
    default:
      break;
  }
  if (is_integer(type)) return write_packed_integers(type, data, first, count, numbers);
  const int bits = element_bits(type);
  for (std::int64_t i = 0; i < count; ++i) {
    set_bits(data, first + i, bits, encode_float(type, numbers[i], {.saturate = saturate}));
  }
}

void round_to(DataType type, double* numbers, std::int64_t count) {
  if (type == DataType::float32) {
    for (std::int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<double>(static_cast<float>(numbers[i]));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    numbers[i] = decode_float(type, encode_float(type, numbers[i]));
}

}  // namespace ortool::cpu
