// What a command found: its payload, warnings and errors, and the JSON document around them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/json/json.hpp"

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
  /// Writes what comes after `text`, for text too long to be held: called once the command is done,
  /// so that what it refers to must live on. May be empty.
  std::function<void(TextSink&)> more_text;
  /// Holds what `payload` and `more_text` refer to.
  std::shared_ptr<const void> owner;
  /// Set to negative_result or no_conclusion when that is the answer.
  int verdict = 0;

  /// False when the same text is there already.
  bool add_warning(std::string_view text);
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Adds the error with its parts.
  void add_error(const Error& error);

  /// The whole document. `arguments` without the program's name.
  void write_document(std::string_view command, const std::vector<std::string>& arguments,
                      int exit_code, TextSink& out) const;
  /// For --format jsonl: what comes before the payload, as one line of the kind "header".
  void write_header_line(std::string_view command, const std::vector<std::string>& arguments,
                         int exit_code, TextSink& out) const;

 private:
  Json envelope(std::string_view command, const std::vector<std::string>& arguments,
                int exit_code) const;

  std::vector<std::string> warnings_;
  Json errors_ = Json::list();
};

}  // namespace ortool
