// Number formatting: takes the shortest scientific notation, then lays out its digits.
#include "providers/cpu/elementwise/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

/// Converts "d.ddde±xx" to NumPy's format: positional notation from 1e-4 to below 1e16.
std::string lay_out_digits(std::string_view scientific) {
  std::string result;
  if (scientific.starts_with('-')) {
    result = "-";
    scientific.remove_prefix(1);
  }
  const std::size_t mark = scientific.find('e');
  std::string digits(scientific.substr(0, mark));
  std::erase(digits, '.');
  const std::size_t sign_end = scientific[mark + 1] == '+' ? mark + 2 : mark + 1;
  int exponent = 0;
  std::from_chars(scientific.data() + sign_end, scientific.data() + scientific.size(), exponent);
  if (exponent < -4 || exponent >= 16) return result.append(scientific);
  if (exponent < 0) {
    return result.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  const std::string fraction = digits.size() > whole ? digits.substr(whole) : "0";
  return result.append(digits.substr(0, whole)).append(".").append(fraction);
}

template <typename Float>
std::string shortest_text(Float value) {
  std::array<char, 64> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
          .ptr;
  return lay_out_digits({text.data(), end});
}

std::string text_of_float(const Tensor& numbers, std::int64_t index) {
  const double value = element_as_double(numbers, index);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  if (numbers.type() == DataType::float64) return shortest_text(value);
  if (numbers.type() == DataType::float32) return shortest_text(static_cast<float>(value));
  // The shortest digits that identify a value of a narrower type, reparsed as float64.
  const std::string digits = element_text(numbers, index);
  double same = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), same);
  return shortest_text(same);
}

std::string text_of_element(const Tensor& numbers, std::int64_t index) {
  if (is_floating_point(numbers.type())) return text_of_float(numbers, index);
  if (numbers.type() == DataType::boolean)
    return element_as_int64(numbers, index) != 0 ? "True" : "False";
  return element_text(numbers, index);
}

[[noreturn]] void refuse_text(std::string_view text, DataType to) {
  throw Error(ErrorCode::invalid,
              format("'{}' cannot be cast to {}",
                     escape_control_characters(std::string(text.substr(0, 40))), name_of(to)),
              "a string must be a number such as 12, 3.5, 1e-5, NaN or -INF");
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\r";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

bool is_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), same);
}

/// Parses a whole string as a number of type T (from_chars does not accept a plus sign); false if
/// it is none. Out of range, floating-point types give infinity or 0, and integers false.
template <typename T>
bool read_number(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return false;
  if (failure == std::errc()) return true;
  if constexpr (!std::is_floating_point_v<T>) return false;
  // Out of range: with a negative exponent the value is too small, not too large.
  const std::size_t mark = text.find_first_of("eE");
  const bool is_small = mark != std::string_view::npos && mark + 1 < text.size()
                            ? text[mark + 1] == '-'
                            : text.find_first_of("123456789") > text.find('.');
  value = is_small ? T{0} : std::numeric_limits<T>::infinity();
  if (text.starts_with('-')) value = -value;
  return true;
}

template <typename T>
T parse_text(std::string_view given, DataType to) {
  const std::string_view text = without_spaces(given);
  if constexpr (std::is_integral_v<T>) {
    T exact = 0;
    if (read_number(text, exact)) return exact;
    return convert_number<T>(parse_text<double>(given, to));
  } else {
    T value = 0;
    if (read_number(text, value)) return value;
    if (is_word(text, "true")) return 1;
    if (is_word(text, "false")) return 0;
    refuse_text(given, to);
  }
}

template <typename T>
Tensor parse_texts(const Tensor& texts, DataType to, MemoryCap* cap) {
  Tensor result(DataTypeOf<T>::value, texts.shape(), cap);
  T* out = result.mutable_data<T>().data();
  for (const std::string& text : texts.strings()) *out++ = parse_text<T>(text, to);
  return result;
}

}  // namespace

Tensor texts_of(const Tensor& numbers, MemoryCap* cap, const Workers& workers) {
  constexpr std::int64_t texts_a_poll = 1024;
  std::vector<std::string> texts;
  {
    const MemoryReservation room(cap, multiply_sizes(numbers.element_count(), sizeof(std::string)),
                                 "a tensor of strings");
    texts.reserve(static_cast<std::size_t>(numbers.element_count()));
    for (std::int64_t i = 0; i < numbers.element_count(); ++i) {
      if (i % texts_a_poll == 0) workers.poll();
      texts.push_back(text_of_element(numbers, i));
    }
  }
  return Tensor::of_strings(numbers.shape(), std::move(texts), cap);
}

Tensor numbers_of(const Tensor& texts, DataType to, FloatCast rounding, MemoryCap* cap) {
  if (to == DataType::float32) return parse_texts<float>(texts, to, cap);
  if (to == DataType::int64) return parse_texts<std::int64_t>(texts, to, cap);
  if (to == DataType::uint64) return parse_texts<std::uint64_t>(texts, to, cap);
  return convert(parse_texts<double>(texts, to, cap), to, rounding, cap);
}

}  // namespace ortool::cpu
