// Option values given by the user, as text, numbers, sizes and flags.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/strings/parse_number.hpp"

namespace ortool {

/// Values by option name. Accessors throw ErrorCode::invalid with the option, the value found
/// and what is expected.
class OptionValues {
 public:
  void set(std::string_view name, std::vector<std::string> values);

  bool has(std::string_view name) const { return !all(name).empty(); }
  /// Of a flag: given, and not set to false by a config file.
  bool flag(std::string_view name) const;
  /// In the order given.
  std::span<const std::string> all(std::string_view name) const;
  /// The last one given, or `fallback`.
  std::string text(std::string_view name, std::string_view fallback = {}) const;
  /// Of an option with a range (OptionSpec), where the command line has been checked.
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double number(std::string_view name, double fallback) const;
  /// "4096", "512MB", "1.5GiB".
  std::int64_t size_bytes(std::string_view name, std::int64_t fallback) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// Throws ErrorCode::invalid when an element of the list with commas, the value of an option, is
/// empty or blank.
void check_list_elements(std::string_view option, std::string_view list);

}  // namespace ortool
