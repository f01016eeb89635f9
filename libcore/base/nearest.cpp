// Bounded edit distance, and lists of bounded length for messages.
#include "libcore/base/nearest.hpp"

#include <algorithm>
#include <vector>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::size_t longest_compared = 256;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

template <typename Text>
std::string list_any(std::span<const Text> names, std::size_t max_bytes) {
  std::string list;
  std::size_t listed = 0;
  for (const Text& name : names) {
    const std::string next = shorten(name, 80);
    if (listed > 0 && list.size() + next.size() > max_bytes) break;
    if (listed > 0) list += ", ";
    list += next;
    ++listed;
  }
  if (listed < names.size()) list += format(" and {} more", names.size() - listed);
  return list;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  const std::size_t width = b.size() + 1;
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
  std::vector<std::size_t> before_last(width);
  std::vector<std::size_t> last(width);
  std::vector<std::size_t> row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t smallest = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > most) return most + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[width - 1], most + 1);
}

NearestName::NearestName(std::string_view wanted)
    : wanted_(wanted), best_distance_(std::max<std::size_t>(1, (wanted.size() + 1) / 3) + 1) {}

void NearestName::offer(std::string_view candidate) {
  if (candidate.empty() || std::max(candidate.size(), wanted_.size()) > longest_compared) return;
  if (best_distance_ == 0) return;
  const std::size_t distance = edit_distance(wanted_, candidate, best_distance_ - 1);
  if (distance >= best_distance_ || distance >= std::max(candidate.size(), wanted_.size())) return;
  best_ = candidate;
  best_distance_ = distance;
}

std::string nearest_name(std::string_view wanted, std::span<const std::string_view> candidates) {
  NearestName nearest(wanted);
  for (const std::string_view candidate : candidates) nearest.offer(candidate);
  return nearest.best();
}

std::string shorten(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    std::string whole = escape_control_characters(text);
    if (whole.size() <= max_bytes) return whole;
  }
  const std::size_t half = std::min(text.size(), max_bytes) / 2;
  std::string head = escape_control_characters(text.substr(0, half));
  std::string tail = escape_control_characters(text.substr(text.size() - half));
  head.resize(std::min(head.size(), half));
  if (tail.size() > half) tail.erase(0, tail.size() - half);
  return head + "..." + tail;
}

std::string quote(std::string_view name, std::size_t max_bytes) {
  return "'" + shorten(name, max_bytes) + "'";
}

std::string list_names(std::span<const std::string_view> names, std::size_t max_bytes) {
  return list_any(names, max_bytes);
}

std::string list_names(std::span<const std::string> names, std::size_t max_bytes) {
  return list_any(names, max_bytes);
}

}  // namespace ortool
