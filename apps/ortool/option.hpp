// Option descriptions: the table that drives parsing, help, completion and messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// What a shell completes after an option: files, or names. `inputs`, `outputs` and `dimensions`
/// are those of the MODEL argument.
enum class Completion {
  nothing,
  files,
  folders,
  inputs,      ///< NAME=, where a file may follow
  outputs,     ///< separated by commas
  dimensions,  ///< NAME=
  passes,      ///< those of optimize, separated by commas
  all_passes,  ///< also those between the file and the session
  providers,   ///< separated by commas
};

/// What the number of an option may be.
struct NumberRange {
  enum class Kind { whole, real, bytes };

  Kind kind;
  double least;
  double most;
};

constexpr NumberRange whole_from(double least, double most) {
  return {NumberRange::Kind::whole, least, most};
}
constexpr NumberRange real_from(double least, double most) {
  return {NumberRange::Kind::real, least, most};
}
inline constexpr NumberRange size_range{NumberRange::Kind::bytes, 1, 0x1p60};

struct OptionSpec {
  std::string_view name;        ///< without dashes: "provider"
  std::string_view value = {};  ///< placeholder of its value in help; empty: a flag
  std::string_view help = {};
  char letter = 0;  ///< short form, 0: none
  bool repeats = false;
  bool is_list = false;  ///< separated by commas: none of its elements may be empty
  std::vector<std::string_view> choices = {};  ///< allowed values; empty: any
  std::optional<NumberRange> range = {};       ///< of a number; `suggestions` are allowed as well
  Completion completes = Completion::nothing;
  /// Values that a shell offers where others are allowed as well.
  std::vector<std::string_view> suggestions = {};
  /// Documented, but not in this version: ErrorCode::unsupported when given.
  bool is_planned = false;

  bool is_flag() const { return value.empty(); }
};

/// Options under one heading of the help.
struct OptionGroup {
  std::string_view title;
  std::vector<OptionSpec> options;
};

/// Throws ErrorCode::invalid with the range when `text` is not a number in it.
void check_number(std::string_view option, std::string_view text, const NumberRange& range);

/// Throws ErrorCode::invalid if the value is not one of the option's choices or outside of its
/// range, ErrorCode::unsupported if the option is planned.
void check_option(const OptionSpec& option, std::string_view value);

/// The option of that name, or null.
const OptionSpec* find_option(const std::vector<OptionGroup>& groups, std::string_view name);

/// Every option's name after `prefix`, except planned ones.
std::vector<std::string> option_names(const std::vector<OptionGroup>& groups,
                                      std::string_view prefix);

}  // namespace ortool
