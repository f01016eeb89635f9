// Parser of amounts with units; longer units are tried first, since one may end with another.
#include "libcore/base/strings/amount.hpp"

#include <cmath>
#include <span>

#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

struct AmountUnit {
  std::string_view name;
  double factor;
};

constexpr AmountUnit units_of_bytes[] = {
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},
    {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
};
constexpr AmountUnit units_of_counts[] = {
    {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}};

/// Removes the unit from the text and returns its factor; 1 without a unit.
double take_unit(std::string_view& text, std::span<const AmountUnit> units) {
  for (const AmountUnit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    return unit.factor;
  }
  return 1;
}

std::optional<double> read_product(std::string_view digits, double factor) {
  double number = 0;
  if (!read_number(digits, number) || !std::isfinite(number)) return std::nullopt;
  return number * factor;
}

}  // namespace

std::optional<double> read_bytes(std::string_view text) {
  const double factor = take_unit(text, units_of_bytes);
  return read_product(text, factor);
}

std::optional<double> read_amount(std::string_view text) {
  const std::size_t size = text.size();
  double factor = take_unit(text, units_of_bytes);
  if (text.size() == size) factor = take_unit(text, units_of_counts);
  return read_product(text, factor);
}

}  // namespace ortool
