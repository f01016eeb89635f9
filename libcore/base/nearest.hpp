// Names in messages: the nearest one to a mistyped one, and lists that stay short.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ortool {

/// Takes candidates one by one and keeps the one with the fewest edits to `wanted`, if any is
/// near enough to be a slip: at most a third of the letters differ.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted);
  void offer(std::string_view candidate);
  /// Empty when nothing was near.
  const std::string& best() const { return best_; }

 private:
  std::string wanted_;
  std::string best_;
  std::size_t best_distance_;
};

/// The nearest of `candidates`, or empty.
std::string nearest_name(std::string_view wanted, std::span<const std::string_view> candidates);

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other,
/// letter case aside; gives up at `most` + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

/// `text` cut in its middle to `most_bytes`, control characters escaped.
std::string shorten(std::string_view text, std::size_t most_bytes = 240);
/// The same in single quotes.
std::string quote(std::string_view name, std::size_t most_bytes = 120);

/// "a, b, c and 12 more", about `most_bytes` long.
std::string list_names(std::span<const std::string_view> names, std::size_t most_bytes = 300);
std::string list_names(std::span<const std::string> names, std::size_t most_bytes = 300);

}  // namespace ortool
