// Option values: strict, locale-independent parsing.
#include "apps/ortool/option_values.hpp"

#include <algorithm>
#include <utility>

#include "apps/ortool/option.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/amount.hpp"

namespace ortool {
void check_list_elements(std::string_view option, std::string_view list) {
  const std::vector<std::string> elements = split(list, ',');
  const auto is_blank = [](std::string_view element) {
    return element.find_first_not_of(" \t") == std::string_view::npos;
  };
  const auto found = std::find_if(elements.begin(), elements.end(), is_blank);
  if (found == elements.end() && !elements.empty()) return;
  if (std::all_of(elements.begin(), elements.end(), is_blank)) {
    throw Error(ErrorCode::invalid,
                format("option --{}: the list {} is empty", option, quote(list)),
                "give it a value, or leave the option out")
        .with_id("usage.value");
  }
  throw Error(ErrorCode::invalid,
              format("option --{}: element {} of the list {} is empty", option,
                     found - elements.begin() + 1, quote(list)),
              "leave the extra comma out")
      .with_id("usage.value");
}

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

std::int64_t OptionValues::integer(std::string_view name, std::int64_t fallback) const {
  std::int64_t number = fallback;
  if (has(name)) ORTOOL_CHECK(read_integer(all(name).back(), number));
  return number;
}

double OptionValues::number(std::string_view name, double fallback) const {
  double number = fallback;
  if (has(name)) ORTOOL_CHECK(read_number(all(name).back(), number));
  return number;
}

std::int64_t OptionValues::size_bytes(std::string_view name, std::int64_t fallback) const {
  if (!has(name)) return fallback;
  const std::string& text = all(name).back();
  check_number(name, text, size_range);
  return static_cast<std::int64_t>(*read_bytes(text));
}

}  // namespace ortool
