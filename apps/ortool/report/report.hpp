// Report of a command: its payload, warnings, notes and errors, and the JSON document around them.
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
  /// The text on stdout.
  std::string text;
  /// Writes what follows `text`, for text too long for memory: called after the command is done,
  /// so everything it refers to must stay alive. May be empty.
  std::function<void(TextSink&)> more_text;
  /// Keeps alive what `payload` and `more_text` refer to.
  std::shared_ptr<const void> owner;
  /// Set to negative_result or no_conclusion if that is the result.
  int verdict = 0;

  /// False if the same text is already present.
  bool add_warning(std::string_view text);
  void add_note(std::string_view text);
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Adds the error with its parts.
  void add_error(const Error& error);

  /// Adds a provider that was asked for, a row of providers_block(), unless one of that name is
  /// there.
  void add_provider(const Json& provider);

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
  std::vector<std::string> notes_;
  Json errors_ = Json::list();
  Json providers_ = Json::list();
};

}  // namespace ortool
