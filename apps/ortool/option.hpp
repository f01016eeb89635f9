// The description of an option: one table from which parsing, help, completion and messages come.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// What a shell offers after an option.
enum class Completes { nothing, files, folders };

struct OptionSpec {
  std::string_view name;        ///< without dashes: "provider"
  std::string_view value = {};  ///< what stands for its value in help; empty: a flag
  std::string_view help = {};
  char letter = 0;  ///< the short form, 0: none
  bool repeats = false;
  std::vector<std::string_view> choices = {};  ///< the only values there are; empty: any
  Completes completes = Completes::nothing;
  /// Part of the contract but not of this version: ErrorCode::unsupported when given.
  bool is_planned = false;

  bool is_flag() const { return value.empty(); }
};

/// Options under one heading of the help.
struct OptionGroup {
  std::string_view title;
  std::vector<OptionSpec> options;
  /// Not empty: the help has this line instead of a line an option.
  std::string_view brief = {};
};

/// The option of that name, or null.
const OptionSpec* find_option(const std::vector<OptionGroup>& groups, std::string_view name);

/// Every option's name behind `prefix`, planned ones left out.
std::vector<std::string> option_names(const std::vector<OptionGroup>& groups,
                                      std::string_view prefix);

}  // namespace ortool
