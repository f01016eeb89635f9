// Messages on stderr: formatting and length limits.
#include "apps/ortool/report/messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/strings/escape.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_line_bytes = 1000;
constexpr std::size_t min_hint_bytes = 300;

}  // namespace

Messages::Messages() : is_terminal_(isatty(STDERR_FILENO) == 1) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  has_color_ = is_terminal_ && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
               std::string_view(terminal) != "dumb";
}

std::string Messages::line(std::string_view kind, std::string_view text,
                           std::size_t max_bytes) const {
  std::string line;
  if (has_color_) line += kind.starts_with("error") ? "\x1b[1;31m" : "\x1b[1m";
  line += kind;
  if (has_color_) line += "\x1b[0m";
  line += cut_to(printable(text), max_bytes - kind.size() - 1);
  line += '\n';
  return line;
}

void Messages::write_line(std::string_view kind, std::string_view text,
                          std::size_t max_bytes) const {
  write_to_stderr(line(kind, text, max_bytes));
}

std::string Messages::error_line(std::string_view text) const {
  return line("error: ", text, max_line_bytes);
}

void Messages::fail(const Error& error) const {
  if (is_silent_) {
    if (listener_) listener_(Verbosity::error, error.what());
    return;
  }
  const bool has_hint = !error.hint().empty();
  write_line("error: ", error.what(), max_line_bytes - (has_hint ? min_hint_bytes : 0));
  if (has_hint) {
    const std::size_t used = printable(error.what()).size() + 8;
    write_line("hint: ", error.hint(),
               std::max(min_hint_bytes, max_line_bytes - std::min(max_line_bytes, used)));
  }
  if (level_ < Verbosity::info) return;
  for (const std::string& step : error.trail()) write_line("  in ", step, max_line_bytes);
}

void Messages::say(Verbosity level, std::string_view kind, std::string_view text) const {
  if (level > level_) return;
  if (!is_silent_) {
    write_line(kind, text, max_line_bytes);
  } else if (listener_) {
    listener_(level, text);
  }
}

}  // namespace ortool
