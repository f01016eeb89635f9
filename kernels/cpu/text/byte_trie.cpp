// Trie over bytes: adding entries.
#include "kernels/cpu/text/byte_trie.hpp"

namespace ortool::cpu {

void ByteTrie::add(std::string_view entry, std::int64_t value) {
  if (entry.empty()) return;
  std::int64_t node = 0;
  for (const char byte : entry) {
    const auto [place, is_new] =
        children_.try_emplace(key(node, byte), static_cast<std::int64_t>(values_.size()));
    if (is_new) values_.push_back(-1);
    node = place->second;
  }
  values_[static_cast<std::size_t>(node)] = value;
}

}  // namespace ortool::cpu
