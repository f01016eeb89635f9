// Reading option values strictly, without regard to the locale.
#include "apps/ortool/option_values.hpp"

#include <charconv>
#include <utility>

#include "apps/ortool/amount.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view text,
                               std::string_view expected) {
  throw Error(ErrorCode::invalid, format("option --{}: {} is no {}", name, quote(text), expected),
              format("give --{} a {}", name, expected))
      .with_id("usage.value");
}

}  // namespace

void OptionValues::set(std::string_view name, std::vector<std::string> values) {
  values_.insert_or_assign(std::string(name), std::move(values));
}

std::span<const std::string> OptionValues::all(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::span<const std::string>()
                                : std::span<const std::string>(found->second);
}

bool OptionValues::flag(std::string_view name) const {
  return has(name) && all(name).back() != "false";
}

std::string OptionValues::text(std::string_view name, std::string_view fallback) const {
  return has(name) ? all(name).back() : std::string(fallback);
}

std::int64_t OptionValues::integer(std::string_view name, std::int64_t fallback, std::int64_t least,
                                   std::int64_t most) const {
  if (!has(name)) return fallback;
  std::int64_t number = 0;
  if (!read_integer(all(name).back(), number) || number < least || number > most) {
    refuse_value(name, all(name).back(), format("whole number from {} to {}", least, most));
  }
  return number;
}

double OptionValues::number(std::string_view name, double fallback, double least,
                            double most) const {
  if (!has(name)) return fallback;
  double number = 0;
  if (!read_number(all(name).back(), number) || !(number >= least && number <= most)) {
    refuse_value(name, all(name).back(), format("number from {} to {}", least, most));
  }
  return number;
}

std::int64_t OptionValues::size_bytes(std::string_view name, std::int64_t fallback) const {
  if (!has(name)) return fallback;
  const std::string& text = all(name).back();
  const double bytes = read_bytes(text).value_or(0);
  if (!(bytes >= 1) || bytes > 0x1p60) refuse_value(name, text, "size such as 500MB or 2GiB");
  return static_cast<std::int64_t>(bytes);
}

bool read_number(std::string_view text, double& number) {
  return read_whole(text, number);
}

bool read_integer(std::string_view text, std::int64_t& number) {
  return read_whole(text, number);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace ortool
