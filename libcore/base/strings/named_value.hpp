// Parsing NAME=VALUE pairs and name lists, where a NAME is one of a model's own names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

struct NamedValue {
  std::string name;
  std::string value;
};

/// Splits `text` after the longest of `names` that it starts with and that '=' follows; ':' is
/// accepted if there is none. Throws ErrorCode::invalid with the closest name and the list. `what`
/// and `plural` describe the kind of name: "input", "inputs".
NamedValue split_named_value(std::string_view option, std::string_view text,
                             std::span<const std::string> names, std::string_view what,
                             std::string_view plural);

/// Parses a comma-separated list of names that may contain commas: the longest match of `names`
/// wins. Throws like split_named_value.
std::vector<std::string> split_name_list(std::string_view text, std::span<const std::string> names,
                                         std::string_view what, std::string_view plural);

}  // namespace ortool
