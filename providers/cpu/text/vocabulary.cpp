// Vocabularies of tokenizers: reading lines and JSON objects of tokens.
#include "providers/cpu/text/vocabulary.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/json/json.hpp"

namespace ortool::cpu {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

TokenIds ids_of_lines(std::string_view text) {
  TokenIds ids;
  std::int64_t next = 0;
  for (std::string& line : lines_of(text)) ids.insert_or_assign(std::move(line), next++);
  return ids;
}

TokenIds ids_of_json(std::string_view text, std::string_view attribute) {
  const std::string name = format("attribute '{}'", attribute);
  const Json document = parse_json(text, name);
  if (!document.is_object())
    throw Error(ErrorCode::invalid, format("{} is not a JSON object of tokens and ids", name));
  TokenIds ids;
  for (const auto& [token, id] : document.members()) {
    const bool is_id = id.is_number() && id.number() >= 0 && id.number() < 2147483648.0 &&
                       id.number() == std::floor(id.number());
    if (!is_id) {
      throw Error(ErrorCode::invalid,
                  format("{} gives the token {} no id (expected an integer from 0 to 2^31 - 1)",
                         name, quote(token)));
    }
    ids.emplace(token, static_cast<std::int64_t>(id.number()));
  }
  return ids;
}

std::int64_t id_of(const TokenIds& ids, const std::string& token) {
  const auto found = ids.find(token);
  if (found != ids.end()) return found->second;
  throw Error(ErrorCode::invalid, format("the vocabulary lacks the token {}", quote(token)));
}

std::optional<std::int64_t> find_id(const TokenIds& ids, const std::string& token) {
  const auto found = ids.find(token);
  return found == ids.end() ? std::nullopt : std::optional(found->second);
}

std::string token_of_byte(unsigned int byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return std::string("<0x") + digits[byte >> 4U] + digits[byte & 15U] + ">";
}

std::vector<std::pair<std::string, std::string>> pairs_of_merges(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> merges;
  bool is_first = true;
  for (const std::string& line : lines_of(text)) {
    if (std::exchange(is_first, false) && line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    const bool is_pair = space != std::string::npos && space > 0 && space + 1 < line.size() &&
                         line.find(' ', space + 1) == std::string::npos;
    if (!is_pair) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'merges' has the line {} (expected two tokens with a space "
                         "between them)",
                         quote(line)));
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

}  // namespace ortool::cpu
