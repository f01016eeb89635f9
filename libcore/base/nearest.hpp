// Spelling suggestions for mistyped names (edit distance), and short lists of names for messages.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ortool {

/// Takes candidates one by one and keeps the one with the smallest edit distance to `wanted`, if it
/// is small enough for a typo: at most a third of the letters.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted);
  void offer(std::string_view candidate);
  /// Empty when no candidate was close enough.
  const std::string& best() const { return best_; }

 private:
  std::string wanted_;
  std::string best_;
  std::size_t best_distance_;
};

/// The closest of `candidates`, or an empty string.
std::string nearest_name(std::string_view wanted, std::span<const std::string_view> candidates);

/// Number of insertions, deletions, substitutions and swaps of adjacent letters between two texts,
/// ignoring case (Damerau-Levenshtein); gives up at `most` + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

/// `text` shortened to `max_bytes` by cutting out its middle, with control characters escaped.
std::string shorten(std::string_view text, std::size_t max_bytes = 240);
/// Same as `shorten`, in single quotes.
std::string quote(std::string_view name, std::size_t max_bytes = 120);

/// "a, b, c and 12 more", of about `max_bytes` bytes.
std::string list_names(std::span<const std::string_view> names, std::size_t max_bytes = 300);
std::string list_names(std::span<const std::string> names, std::size_t max_bytes = 300);

}  // namespace ortool
