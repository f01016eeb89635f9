// Element conversion in blocks, through double for floats and int64 for integers.
#include "libcore/tensor/convert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool {
namespace {

constexpr std::int64_t converted_block = 512;

/// Elements may be unaligned in a mapped file.
template <typename T>
T load(const std::byte* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* data, std::int64_t index, T value) {
  std::memcpy(data + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

void check_arithmetic(DataType type) {
  if (is_arithmetic(type)) return;
  throw Error(ErrorCode::unsupported,
              format("elements of type {} cannot be converted", name_of(type)),
              "give a tensor of an integer, floating-point or bool type");
}

template <typename From, typename To>
void read_as(const std::byte* data, std::int64_t first, std::span<To> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<To>(load<From>(data, first + static_cast<std::int64_t>(i)));
}

std::uint64_t element_pattern(const std::byte* data, std::int64_t index, int bits) {
  switch (bits) {
    case 2:
    case 4:
    case 6:
      return get_packed(data, index, bits);
    case 8:
      return load<std::uint8_t>(data, index);
    case 16:
      return load<std::uint16_t>(data, index);
    case 32:
      return load<std::uint32_t>(data, index);
    default:
      return load<std::uint64_t>(data, index);
  }
}

void set_pattern(std::byte* data, std::int64_t index, int bits, std::uint64_t pattern) {
  switch (bits) {
    case 2:
    case 4:
    case 6:
      set_packed(data, index, bits, static_cast<std::uint8_t>(pattern));
      break;
    case 8:
      store(data, index, static_cast<std::uint8_t>(pattern));
      break;
    case 16:
      store(data, index, static_cast<std::uint16_t>(pattern));
      break;
    case 32:
      store(data, index, static_cast<std::uint32_t>(pattern));
      break;
    default:
      store(data, index, pattern);
      break;
  }
}

/// Integers and bools, converted to To; the type must be one of them.
template <typename To>
void read_integers_as(DataType type, const std::byte* data, std::int64_t first, std::span<To> out) {
  switch (type) {
    case DataType::boolean:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = load<std::uint8_t>(data, first + static_cast<std::int64_t>(i)) != 0 ? 1 : 0;
      return;
    case DataType::uint8:
      return read_as<std::uint8_t>(data, first, out);
    case DataType::int8:
      return read_as<std::int8_t>(data, first, out);
    case DataType::uint16:
      return read_as<std::uint16_t>(data, first, out);
    case DataType::int16:
      return read_as<std::int16_t>(data, first, out);
    case DataType::uint32:
      return read_as<std::uint32_t>(data, first, out);
    case DataType::int32:
      return read_as<std::int32_t>(data, first, out);
    case DataType::uint64:
      return read_as<std::uint64_t>(data, first, out);
    case DataType::int64:
      return read_as<std::int64_t>(data, first, out);
    default: {
      const int bits = element_bits(type);
      const bool is_signed = is_signed_integer(type);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint8_t value = get_packed(data, first + static_cast<std::int64_t>(i), bits);
        out[i] = static_cast<To>(is_signed ? sign_extend(value, bits) : value);
      }
    }
  }
}

struct IntegerRange {
  double low;
  double high;
};

IntegerRange range_of(DataType type) {
  const int bits = element_bits(type);
  return is_signed_integer(type)
             ? IntegerRange{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1)}
             : IntegerRange{0.0, std::ldexp(1.0, bits)};
}

/// A float converted to the bits of an integer type: truncated, saturated, NaN to 0.
std::uint64_t integer_pattern(double value, DataType type) {
  if (std::isnan(value)) return 0;
  const IntegerRange range = range_of(type);
  if (value <= range.low) {
    return is_signed_integer(type) ? ~std::uint64_t{0} << (element_bits(type) - 1) : 0;
  }
  if (value >= range.high) {
    const int bits = element_bits(type) - (is_signed_integer(type) ? 1 : 0);
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

/// Rounds to odd, so that rounding again to a narrower format equals a single rounding.
double carry(std::uint64_t magnitude) {
  const int spare = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (spare <= 0) return static_cast<double>(magnitude);
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << spare) - 1);
  const std::uint64_t kept = magnitude >> spare << spare;
  return static_cast<double>(lost == 0 ? kept : kept | std::uint64_t{1} << spare);
}

std::uint64_t pattern_of(double value, DataType type, const FloatCast& cast) {
  if (type == DataType::boolean) return value != 0 ? 1 : 0;
  return is_floating_point(type) ? encode_float(type, value, cast) : integer_pattern(value, type);
}

/// `is_signed` says whether the 64 bits of `value` are signed.
std::uint64_t pattern_of_integer(std::int64_t value, bool is_signed, DataType type,
                                 const FloatCast& cast) {
  if (type == DataType::boolean) return value != 0 ? 1 : 0;
  const auto bits = static_cast<std::uint64_t>(value);
  if (!is_floating_point(type)) return bits;
  const bool is_negative = is_signed && value < 0;
  if (type == DataType::float64) {
    return std::bit_cast<std::uint64_t>(is_signed ? static_cast<double>(value)
                                                  : static_cast<double>(bits));
  }
  const double magnitude = carry(is_negative ? ~bits + 1 : bits);
  return encode_float(type, is_negative ? -magnitude : magnitude, cast);
}

template <typename Float>
std::string shortest(Float value) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

/// The shortest decimal that parses to the same bits of `type`, or the exact value if that is no
/// longer.
std::string shortest_of(DataType type, double value) {
  std::string exact = shortest(value);
  std::array<char, 64> text;
  for (int digits = 1; digits < 9; ++digits) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, digits)
                         .ptr;
    double back = 0;
    std::from_chars(text.data(), end, back);
    if (encode_float(type, back, {.power_rounding = PowerRounding::nearest}) ==
        encode_float(type, value, {.power_rounding = PowerRounding::nearest})) {
      const std::string fewest(text.data(), end);
      return fewest.size() < exact.size() ? fewest : exact;
    }
  }
  return exact;
}

std::string float_text(DataType type, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (type == DataType::float64) return shortest(value);
  if (type == DataType::float32) return shortest(static_cast<float>(value));
  return shortest_of(type, value);
}

std::string complex_text(DataType part, double real, double imaginary) {
  const std::string second = float_text(part, imaginary);
  return float_text(part, real) + (second.front() == '-' ? "" : "+") + second + "i";
}

}  // namespace

bool is_arithmetic(DataType type) {
  return is_floating_point(type) || is_integer(type) || type == DataType::boolean;
}

void read_doubles(const Tensor& tensor, std::int64_t first, std::span<double> out) {
  const DataType type = tensor.type();
  check_arithmetic(type);
  ORTOOL_CHECK(first >= 0 &&
               first + static_cast<std::int64_t>(out.size()) <= tensor.element_count());
  const std::byte* data = tensor.bytes();
  if (type == DataType::float32) return read_as<float>(data, first, out);
  if (type == DataType::float64) return read_as<double>(data, first, out);
  if (!is_floating_point(type)) return read_integers_as(type, data, first, out);
  const int bits = element_bits(type);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = decode_float(type, element_pattern(data, first + static_cast<std::int64_t>(i), bits));
}

void read_integers(const Tensor& tensor, std::int64_t first, std::span<std::int64_t> out) {
  const DataType type = tensor.type();
  ORTOOL_CHECK(is_integer(type) || type == DataType::boolean);
  ORTOOL_CHECK(first >= 0 &&
               first + static_cast<std::int64_t>(out.size()) <= tensor.element_count());
  read_integers_as(type, tensor.bytes(), first, out);
}

Tensor convert(const Tensor& tensor, DataType to, FloatCast cast, MemoryCap* cap) {
  const DataType from = tensor.type();
  if (from == to) return tensor;
  check_arithmetic(from);
  check_arithmetic(to);
  Tensor result(to, tensor.shape(), cap);
  std::byte* out = result.mutable_bytes();
  const int bits = element_bits(to);
  // The last byte of a packed type may have unused bits, which stay zero.
  if (result.size_bytes() > 0) out[result.size_bytes() - 1] = std::byte{0};
  std::array<double, converted_block> doubles;
  std::array<std::int64_t, converted_block> integers;
  const bool from_float = is_floating_point(from);
  for (std::int64_t first = 0; first < tensor.element_count(); first += converted_block) {
    const auto count =
        static_cast<std::size_t>(std::min(converted_block, tensor.element_count() - first));
    if (from_float) {
      read_doubles(tensor, first, std::span(doubles).first(count));
    } else {
      read_integers(tensor, first, std::span(integers).first(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      set_pattern(out, first + static_cast<std::int64_t>(i), bits,
                  from_float ? pattern_of(doubles[i], to, cast)
                             : pattern_of_integer(integers[i], from != DataType::uint64, to, cast));
    }
  }
  return result;
}

double element_as_double(const Tensor& tensor, std::int64_t index) {
  double value = 0;
  read_doubles(tensor, index, {&value, 1});
  return value;
}

std::int64_t element_as_int64(const Tensor& tensor, std::int64_t index) {
  std::int64_t value = 0;
  if (is_floating_point(tensor.type())) {
    value = static_cast<std::int64_t>(
        integer_pattern(element_as_double(tensor, index), DataType::int64));
  } else {
    check_arithmetic(tensor.type());
    read_integers(tensor, index, {&value, 1});
  }
  return value;
}

void set_element(Tensor& tensor, std::int64_t index, double value) {
  check_arithmetic(tensor.type());
  ORTOOL_CHECK(index >= 0 && index < tensor.element_count());
  set_pattern(tensor.mutable_bytes(), index, element_bits(tensor.type()),
              pattern_of(value, tensor.type(), {}));
}

void set_element(Tensor& tensor, std::int64_t index, std::int64_t value) {
  check_arithmetic(tensor.type());
  ORTOOL_CHECK(index >= 0 && index < tensor.element_count());
  set_pattern(tensor.mutable_bytes(), index, element_bits(tensor.type()),
              pattern_of_integer(value, true, tensor.type(), {}));
}

Tensor make_scalar(DataType type, double value) {
  Tensor scalar(type, Shape{});
  set_element(scalar, 0, value);
  return scalar;
}

Tensor make_scalar(DataType type, std::int64_t value) {
  Tensor scalar(type, Shape{});
  set_element(scalar, 0, value);
  return scalar;
}

std::string element_text(const Tensor& tensor, std::int64_t index) {
  const DataType type = tensor.type();
  ORTOOL_CHECK(index >= 0 && index < tensor.element_count());
  switch (type) {
    case DataType::string:
      return tensor.strings()[static_cast<std::size_t>(index)];
    case DataType::boolean:
      return element_as_int64(tensor, index) != 0 ? "true" : "false";
    case DataType::uint64:
      return std::to_string(static_cast<std::uint64_t>(element_as_int64(tensor, index)));
    case DataType::complex64:
      return complex_text(DataType::float32,
                          static_cast<double>(load<float>(tensor.bytes(), 2 * index)),
                          static_cast<double>(load<float>(tensor.bytes(), 2 * index + 1)));
    case DataType::complex128:
      return complex_text(DataType::float64, load<double>(tensor.bytes(), 2 * index),
                          load<double>(tensor.bytes(), 2 * index + 1));
    default:
      return is_floating_point(type) ? float_text(type, element_as_double(tensor, index))
                                     : std::to_string(element_as_int64(tensor, index));
  }
}

}  // namespace ortool
