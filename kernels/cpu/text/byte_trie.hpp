// Trie over bytes: the entries of a vocabulary that a text begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ortool::cpu {

class ByteTrie {
 public:
  /// Adds an entry; of equal ones the last counts. Empty entries are ignored.
  void add(std::string_view entry, std::int64_t value);

  /// Calls body(bytes, value) for each entry that `text` begins with, the shortest first.
  template <typename Body>
  void for_each_prefix(std::string_view text, Body body) const {
    std::int64_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child_of(node, text[i]);
      if (node < 0) return;
      if (values_[static_cast<std::size_t>(node)] >= 0)
        body(i + 1, values_[static_cast<std::size_t>(node)]);
    }
  }

 private:
  static std::uint64_t key(std::int64_t node, char byte) {
    return static_cast<std::uint64_t>(node) << 8U | static_cast<unsigned char>(byte);
  }
  std::int64_t child_of(std::int64_t node, char byte) const {
    const auto found = children_.find(key(node, byte));
    return found == children_.end() ? -1 : found->second;
  }

  std::unordered_map<std::uint64_t, std::int64_t> children_;
  std::vector<std::int64_t> values_ = {-1};  ///< by node; -1: no entry ends there
};

}  // namespace ortool::cpu
