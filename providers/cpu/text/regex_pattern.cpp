// Compilation of patterns by RE2.
#include "providers/cpu/text/regex_pattern.hpp"

#include <re2/re2.h>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool::cpu {

Pattern compile_pattern(const std::string& pattern, PatternOptions options) {
  RE2::Options how(RE2::Quiet);
  how.set_case_sensitive(!options.ignores_case);
  how.set_longest_match(options.takes_longest);
  auto compiled = std::make_unique<const RE2>(pattern, how);
  if (!compiled->ok()) {
    throw Error(ErrorCode::invalid,
                format("the pattern {} is not a regular expression: {}", quote(pattern),
                       escape_control_characters(compiled->error())),
                "patterns are written in RE2's syntax");
  }
  return compiled;
}

}  // namespace ortool::cpu
