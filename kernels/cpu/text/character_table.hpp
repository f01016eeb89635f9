// Tables of Unicode's character classes, as sorted ranges.
#pragma once

#include <cstdint>
#include <span>

namespace ortool::cpu {

struct CharacterRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// `count` letters `step` apart, from `first` on, and what they are without their accents.
struct AccentedLetters {
  std::uint16_t first;
  std::uint16_t count;
  std::uint16_t step;
  std::uint32_t base;
  std::uint16_t base_step;
};

// Sorted by `first`, without overlap.
std::span<const CharacterRange> punctuation_ranges();
std::span<const CharacterRange> accent_ranges();
/// Sorted by `first`; runs with a step of 2 may have others between their letters.
std::span<const AccentedLetters> accented_letters();

}  // namespace ortool::cpu
