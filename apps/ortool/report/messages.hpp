// Messages on stderr: errors, warnings, notes of failed commands and the details of -v.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/base/error.hpp"

namespace ortool {

enum class Verbosity { error, warning, info, debug };

/// Writes whole lines, control characters escaped, each at most 1 kB. A closed or full stderr is
/// ignored. Safe for several threads.
class Messages {
 public:
  using Listener = std::function<void(Verbosity kind, std::string_view text)>;

  /// Colors only on a terminal, and not with NO_COLOR.
  Messages();
  /// Nothing goes to stderr: `listener`, which may be empty, gets each message up to the level.
  explicit Messages(Listener listener) : is_silent_(true), listener_(std::move(listener)) {}

  void set_level(Verbosity level) { level_ = level; }
  Verbosity level() const { return level_; }
  bool is_terminal() const { return is_terminal_; }

  /// "error: …" and "hint: …", together at most 1 kB; with -v the trail as well.
  void fail(const Error& error) const;
  /// The line of an error without a hint as `fail` would write it, for writing it later.
  std::string error_line(std::string_view text) const;
  void warn(std::string_view text) const { say(Verbosity::warning, "warning: ", text); }
  void note(std::string_view text) const { say(Verbosity::warning, "note: ", text); }
  void info(std::string_view text) const { say(Verbosity::info, "info: ", text); }
  void debug(std::string_view text) const { say(Verbosity::debug, "debug: ", text); }

 private:
  void say(Verbosity level, std::string_view kind, std::string_view text) const;
  std::string line(std::string_view kind, std::string_view text, std::size_t max_bytes) const;
  void write_line(std::string_view kind, std::string_view text, std::size_t max_bytes) const;

  Verbosity level_ = Verbosity::warning;
  bool is_terminal_ = false;
  bool has_color_ = false;
  bool is_silent_ = false;
  Listener listener_;
};

}  // namespace ortool
