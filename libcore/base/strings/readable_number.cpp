// Human-readable number formatting by std::to_chars, independent of the locale.
#include "libcore/base/strings/readable_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace ortool {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  return std::string(buffer.data(), end);
}

/// Three significant digits and a suffix for the power of 1000.
std::string scaled(double value, const std::array<std::string_view, 6>& units) {
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fixed(value, decimals);
  if (!units[unit].empty()) text.append(" ").append(units[unit]);
  return text;
}

}  // namespace

std::string readable_bytes(double bytes) {
  return scaled(bytes, {"bytes", "kB", "MB", "GB", "TB", "PB"});
}

std::string readable_count(double count) {
  return scaled(count, {"", "k", "M", "G", "T", "P"});
}

std::string readable_ms(double milliseconds) {
  if (milliseconds >= 1000) return fixed(milliseconds / 1000, 2) + " s";
  if (milliseconds < 0.1) return fixed(milliseconds * 1000, 1) + " us";
  return fixed(milliseconds, milliseconds < 10 ? 2 : 1) + " ms";
}

std::string readable_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, 6)
                       .ptr;
  return std::string(buffer.data(), end);
}

std::string fixed_number(double value, int decimals) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return std::string(text.data(), end.ptr);
}

}  // namespace ortool
