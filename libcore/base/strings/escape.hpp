// Sanitizing of arbitrary bytes for terminals, JSON and markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ortool {

/// `text` with each invalid UTF-8 byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Valid UTF-8 without control characters, for one line on a terminal: those become \n, \t, \x1b or
/// \u0085, and so do marks that change the text direction.
std::string printable(std::string_view text);

/// `text` with `<`, `>`, `&` and `"` as entities, for HTML and XML elements and attributes.
std::string escape_markup(std::string_view text);

/// `text` truncated at a character boundary to `max_bytes`, including the appended "...".
std::string cut_to(std::string_view text, std::size_t max_bytes);

/// The width of valid UTF-8 text on a terminal, counting one column for each character.
std::size_t column_count(std::string_view text);

}  // namespace ortool
