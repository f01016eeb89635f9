// Search for special tokens in texts.
#include "providers/cpu/text/special_tokens.hpp"

#include <algorithm>

namespace ortool::cpu {

SpecialTokens::SpecialTokens(std::vector<Token> added, const TokenIds& ids,
                             std::span<const char* const> names)
    : tokens_(std::move(added)) {
  for (const char* name : names) {
    if (name == nullptr) continue;
    if (const auto id = find_id(ids, name)) tokens_.emplace_back(name, *id);
  }
  std::erase_if(tokens_, [](const Token& each) { return each.first.empty(); });
}

std::pair<std::size_t, const SpecialTokens::Token*> SpecialTokens::next(std::string_view text,
                                                                        std::size_t at) const {
  std::size_t place = text.size();
  const Token* best = nullptr;
  for (const Token& token : tokens_) {
    const std::size_t found =
        text.substr(0, std::min(text.size(), place + token.first.size())).find(token.first, at);
    const bool is_better = found < place || (found == place && best != nullptr &&
                                             token.first.size() > best->first.size());
    if (found == std::string_view::npos || !is_better) continue;
    place = found;
    best = &token;
  }
  return {place, best};
}

}  // namespace ortool::cpu
