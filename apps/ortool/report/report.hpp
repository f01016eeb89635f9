// What a command found: its payload, warnings and errors, and the JSON document around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/report/json.hpp"
#include "libcore/base/error.hpp"

namespace ortool {

/// Filled by one command. The document is the same on stdout (--json) and in --report FILE.
class Report {
 public:
  /// The command's own keys, an object.
  Json payload = Json::object();
  /// The model's block, null for commands without one.
  Json model;
  /// What people read on stdout.
  std::string text;
  /// Set to negative_result or no_conclusion when that is the answer.
  int verdict = 0;

  /// False when the same text is there already.
  bool add_warning(std::string_view text);
  /// Adds the error with its parts.
  void add_error(const Error& error);

  /// The whole document as text. `arguments` without the program's name.
  std::string document(std::string_view command, const std::vector<std::string>& arguments,
                       int exit_code) const;

 private:
  std::vector<std::string> warnings_;
  Json errors_ = Json::list();
};

}  // namespace ortool
