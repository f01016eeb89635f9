// Parser of symbols that are sums: splits at each plus sign and ignores blanks.
#include "libcore/graph/symbol_sum.hpp"

#include <algorithm>
#include <charconv>

namespace ortool {
namespace {

constexpr std::int64_t max_sum = std::int64_t{1} << 40;

bool is_part(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_' || character == '.';
}

}  // namespace

std::vector<std::string> summands_of(std::string_view symbol) {
  std::vector<std::string> summands(1);
  for (const char character : symbol) {
    if (character == ' ') continue;
    if (character == '+') {
      summands.emplace_back();
    } else if (is_part(character)) {
      summands.back() += character;
    } else {
      return {};
    }
  }
  const bool has_empty = std::any_of(summands.begin(), summands.end(),
                                     [](const std::string& part) { return part.empty(); });
  if (summands.size() < 2 || has_empty) return {};
  std::sort(summands.begin(), summands.end());
  return summands;
}

std::optional<std::int64_t> called_sum(
    std::string_view symbol,
    const std::function<std::optional<std::int64_t>(const std::string&)>& number_of) {
  const std::vector<std::string> summands = summands_of(symbol);
  if (summands.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const std::string& part : summands) {
    std::int64_t number = 0;
    const char* const end = part.data() + part.size();
    const auto [read, error] = std::from_chars(part.data(), end, number);
    if (error != std::errc() || read != end) {
      const std::optional<std::int64_t> known = number_of(part);
      if (!known) return std::nullopt;
      number = *known;
    }
    if (number < 0 || number > max_sum - sum) return std::nullopt;
    sum += number;
  }
  return sum;
}

}  // namespace ortool
