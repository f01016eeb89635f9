// Byte-pair encoding with a queue of pairs over a linked list of symbols.
#include "kernels/cpu/text/byte_pair.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>

#include "kernels/cpu/text/character_class.hpp"

namespace ortool::cpu {
namespace {

/// Symbols of a word; `previous` and `next` are indices, or `none`.
struct Symbol {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::int64_t id;
  std::size_t bytes;
  std::size_t previous;
  std::size_t next;
};

/// A pair that may be merged, unless one of its symbols has changed since.
struct Candidate {
  std::int64_t rank;
  std::size_t left;
  std::size_t right;
  std::int64_t left_id;
  std::int64_t right_id;
  std::int64_t merged;

  bool operator<(const Candidate& other) const {
    return std::tie(rank, left) > std::tie(other.rank, other.left);
  }
};

}  // namespace

std::string character_of_byte(unsigned char byte) {
  const auto is_printable = [](unsigned int each) {
    return (each >= 33 && each < 127) || (each >= 161 && each < 173) || each >= 174;
  };
  std::uint32_t code = byte;
  if (!is_printable(byte)) {
    code = 256;
    for (unsigned int each = 0; each < byte; ++each) code += is_printable(each) ? 0U : 1U;
  }
  std::string text;
  append_utf8(text, code);
  return text;
}

BytePairModel::BytePairModel(const TokenIds& ids, std::span<const Pair> merges,
                             std::string_view word_end, std::int64_t unknown)
    : unknown_(unknown) {
  const auto find = [&](const std::string& token) {
    const auto found = ids.find(token);
    return found == ids.end() ? std::int64_t{-1} : found->second;
  };
  for (unsigned int byte = 0; byte < 256; ++byte) {
    const std::string text = character_of_byte(static_cast<unsigned char>(byte));
    of_byte_[byte] = find(text);
    of_last_byte_[byte] = find(text + std::string(word_end));
  }
  merges_.reserve(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto& [left, right] = merges[i];
    const std::int64_t merged = find(left + right);
    const std::int64_t a = find(left);
    const std::int64_t b = find(right);
    if (a >= 0 && b >= 0 && merged >= 0)
      merges_.try_emplace(key(a, b), Merge{static_cast<std::int64_t>(i), merged});
  }
}

const BytePairModel::Merge* BytePairModel::find_merge(std::int64_t left, std::int64_t right) const {
  if (left < 0 || right < 0) return nullptr;
  const auto found = merges_.find(key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairModel::encode(std::string_view word, std::vector<TokenRange>& tokens) const {
  std::vector<TokenRange> bytes(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    bytes[i] = {i + 1 == word.size() ? of_last_byte_[byte] : of_byte_[byte], 1};
  }
  merge(bytes, tokens);
}

void BytePairModel::merge(std::span<const TokenRange> given,
                          std::vector<TokenRange>& tokens) const {
  const std::size_t count = given.size();
  std::vector<Symbol> symbols(count);
  for (std::size_t i = 0; i < count; ++i) {
    symbols[i] = {given[i].id, given[i].bytes, i == 0 ? Symbol::none : i - 1,
                  i + 1 == count ? Symbol::none : i + 1};
  }
  std::priority_queue<Candidate> queue;
  const auto propose = [&](std::size_t left) {
    if (left == Symbol::none || symbols[left].next == Symbol::none) return;
    const Symbol& a = symbols[left];
    const Symbol& b = symbols[a.next];
    if (const Merge* merge = find_merge(a.id, b.id))
      queue.push({merge->rank, left, a.next, a.id, b.id, merge->id});
  };
  for (std::size_t i = 0; i + 1 < count; ++i) propose(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.left];
    Symbol& right = symbols[best.right];
    const bool is_current = left.bytes != 0 && right.bytes != 0 && left.next == best.right &&
                            left.id == best.left_id && right.id == best.right_id;
    if (!is_current) continue;
    left.id = best.merged;
    left.bytes += right.bytes;
    left.next = right.next;
    right.bytes = 0;
    if (left.next != Symbol::none) symbols[left.next].previous = best.left;
    propose(left.previous);
    propose(best.left);
  }
  for (std::size_t i = 0; i < count; i = symbols[i].next) {
    tokens.push_back({symbols[i].id < 0 ? unknown_ : symbols[i].id, symbols[i].bytes});
    if (symbols[i].next == Symbol::none) break;
  }
}

}  // namespace ortool::cpu
