// Character classes of Unicode 14 that tokenizers ask for: punctuation, ideographs, controls,
// white space and accents.
#pragma once

#include <cstdint>
#include <string>

namespace ortool::cpu {

/// Unicode's punctuation, and ASCII's symbols.
bool is_punctuation(std::uint32_t code);
/// Chinese characters, as BERT lists their blocks.
bool is_ideograph(std::uint32_t code);
/// Controls and invisible formatting characters, except tab and line ends.
bool is_control(std::uint32_t code);
/// White space, no-break and ideographic spaces included.
bool is_space(std::uint32_t code);
/// Marks that are written over or under the letter before them.
bool is_accent(std::uint32_t code);
/// The letter without its accents; the character itself if it has none.
std::uint32_t without_accents(std::uint32_t code);

/// Appends a character in UTF-8.
void append_utf8(std::string& text, std::uint32_t code);

}  // namespace ortool::cpu
