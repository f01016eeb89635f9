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

constexpr std::size_t most_line_bytes = 1000;
constexpr std::size_t least_hint_bytes = 300;

}  // namespace

Messages::Messages() : is_terminal_(isatty(STDERR_FILENO) == 1) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  has_colour_ = is_terminal_ && (no_colour == nullptr || *no_colour == '\0') &&
                terminal != nullptr && std::string_view(terminal) != "dumb";
}

void Messages::write_line(std::string_view kind, std::string_view text,
                          std::size_t most_bytes) const {
  std::string line;
  if (has_colour_) line += kind.starts_with("error") ? "\x1b[1;31m" : "\x1b[1m";
  line += kind;
  if (has_colour_) line += "\x1b[0m";
  line += cut_to(printable(text), most_bytes - kind.size() - 1);
  line += '\n';
  write_to_stderr(line);
}

void Messages::fail(const Error& error) const {
  const bool has_hint = !error.hint().empty();
  write_line("error: ", error.what(), most_line_bytes - (has_hint ? least_hint_bytes : 0));
  if (has_hint) {
    const std::size_t used = printable(error.what()).size() + 8;
    write_line("hint: ", error.hint(),
               std::max(least_hint_bytes, most_line_bytes - std::min(most_line_bytes, used)));
  }
  if (level_ < Verbosity::info) return;
  for (const std::string& step : error.trail()) write_line("  in ", step, most_line_bytes);
}

void Messages::say(Verbosity level, std::string_view kind, std::string_view text) const {
  if (level <= level_) write_line(kind, text, most_line_bytes);
}

}  // namespace ortool
