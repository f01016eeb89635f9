// Making any bytes safe: for a terminal, and for a JSON document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ortool {

/// `text` with every byte that is no part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Valid UTF-8 without control characters: those become \n, \t, \x1b or \u0085, and so do the marks
/// that turn the direction of writing. For one line on a terminal.
std::string printable(std::string_view text);

/// `text` with `<`, `>`, `&` and `"` as entities: for HTML and XML, in elements and in attributes.
std::string escape_markup(std::string_view text);

/// `text`, cut at a character's end so that it takes at most `most_bytes` with "..." behind it.
std::string cut_to(std::string_view text, std::size_t most_bytes);

/// The columns that valid UTF-8 text takes on a terminal, counting a character as one.
std::size_t column_count(std::string_view text);

}  // namespace ortool
