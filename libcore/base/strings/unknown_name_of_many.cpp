// Suggestions for unknown names, ranked by prefix, word and edit distance.
#include "libcore/base/strings/unknown_name_of_many.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::size_t longest_suggested = 256;

std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

/// Whether `word` is one of the words of `name`, which dashes and underscores separate.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || name[at - 1] == '-' || name[at - 1] == '_';
    if (begins && (end == name.size() || name[end] == '-' || name[end] == '_')) return true;
  }
  return false;
}

/// How far `candidate` is from `wanted`; more than `most` for a name that is not meant.
std::size_t suggestion_distance(std::string_view wanted, std::string_view candidate,
                                std::size_t most) {
  constexpr std::size_t shortest_part = 3;
  constexpr std::size_t of_prefix = 1;
  constexpr std::size_t of_word = 2;
  const std::size_t distance = edit_distance(wanted, candidate, most);
  if (std::min(wanted.size(), candidate.size()) < shortest_part) return distance;
  if (candidate.starts_with(wanted) || wanted.starts_with(candidate))
    return std::min(distance, of_prefix);
  return has_word(candidate, wanted) ? std::min(distance, of_word) : distance;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t most) {
  wanted = without_dashes(wanted);
  if (wanted.size() > longest_suggested) return {};
  const std::size_t limit = std::max<std::size_t>(2, (wanted.size() + 1) / 3);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string& candidate : candidates) {
    const std::string_view name = without_dashes(candidate);
    if (name.empty() || name.size() > longest_suggested) continue;
    const std::size_t distance = suggestion_distance(wanted, name, limit);
    if (distance <= limit && distance < std::max(name.size(), wanted.size()))
      found.emplace_back(distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  found.resize(std::min(found.size(), most));
  std::vector<std::string> names;
  for (const auto& [distance, name] : found) names.emplace_back(name);
  return names;
}

Error unknown_name_of_many(std::string_view what, std::string_view wanted,
                           std::span<const std::string> known, std::string_view all) {
  constexpr std::size_t most_suggested = 3;
  const std::vector<std::string> nearest = nearest_names(wanted, known, most_suggested);
  std::string hint;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    hint += i == 0 ? "did you mean " : i + 1 < nearest.size() ? ", " : " or ";
    hint += quote(nearest[i]);
  }
  if (!hint.empty()) hint += "? ";
  return Error(ErrorCode::invalid, format("unknown {} {}", what, quote(wanted)), hint.append(all))
      .with_id("usage.unknown_name");
}

}  // namespace ortool
