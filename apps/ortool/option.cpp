// Option tables: lookup, choices, and the ranges of numbers.
#include "apps/ortool/option.hpp"

#include <algorithm>
#include <cstdint>

#include "apps/ortool/option_values.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/amount.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/base/strings/unknown_name.hpp"

namespace ortool {
namespace {

std::optional<double> read_as(NumberRange::Kind kind, std::string_view text) {
  if (kind == NumberRange::Kind::bytes) return read_bytes(text);
  std::int64_t whole = 0;
  if (kind == NumberRange::Kind::whole)
    return read_integer(text, whole) ? std::optional(static_cast<double>(whole)) : std::nullopt;
  double real = 0;
  return read_number(text, real) ? std::optional(real) : std::nullopt;
}

std::string expected_text(const NumberRange& range) {
  switch (range.kind) {
    case NumberRange::Kind::whole:
      return format("whole number from {} to {}", static_cast<std::int64_t>(range.least),
                    static_cast<std::int64_t>(range.most));
    case NumberRange::Kind::real:
      return format("number from {} to {}", range.least, range.most);
    default:
      return "size such as 500MB or 2GiB";
  }
}

}  // namespace

void check_number(std::string_view option, std::string_view text, const NumberRange& range) {
  const std::optional<double> number = read_as(range.kind, text);
  if (number && *number >= range.least && *number <= range.most) return;
  const std::string expected = expected_text(range);
  throw Error(ErrorCode::invalid,
              format("option --{}: {} is not a {}", option, quote(text), expected),
              format("give --{} a {}", option, expected))
      .with_id("usage.value");
}

void check_option(const OptionSpec& option, std::string_view value) {
  if (option.is_planned) {
    throw Error(ErrorCode::unsupported,
                format("option --{} is planned, but not in this version", option.name),
                "leave the option out")
        .with_id("usage.planned");
  }
  if (value.empty() && !option.is_flag()) {
    throw Error(ErrorCode::invalid, format("option --{}: the value is empty", option.name),
                "give it a value, or leave the option out")
        .with_id("usage.value");
  }
  if (option.is_list) check_list_elements(option.name, value);
  const auto& others = option.suggestions;
  if (option.range && std::find(others.begin(), others.end(), value) == others.end())
    check_number(option.name, value, *option.range);
  if (option.choices.empty()) return;
  if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end())
    return;
  const std::vector<std::string> known(option.choices.begin(), option.choices.end());
  throw unknown_name(format("value of --{}", option.name), value, "values", known);
}

const OptionSpec* find_option(const std::vector<OptionGroup>& groups, std::string_view name) {
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

std::vector<std::string> option_names(const std::vector<OptionGroup>& groups,
                                      std::string_view prefix) {
  std::vector<std::string> names;
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) names.push_back(std::string(prefix).append(option.name));
    }
  }
  return names;
}

}  // namespace ortool
