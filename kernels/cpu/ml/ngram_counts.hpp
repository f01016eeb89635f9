// N-gram counts: occurrences of n-grams in a row of elements, with skips allowed between elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ortool::cpu {

/// The n-grams to look for, as a trie with one step per element.
class NgramTrie {
 public:
  /// Adds the n-gram `elements` (nonnegative numbers); of duplicates, the later one counts. Not
  /// allowed after finish().
  void add(const std::vector<std::int64_t>& elements, std::int64_t gram);
  /// Sorts the steps; required before the first count.
  void finish();

  struct Counting {
    std::int64_t shortest = 1;
    std::int64_t longest = 1;
    std::int64_t max_skipped = 0;
  };

  /// Calls body(gram) for each occurrence of an n-gram of `shortest` to `longest` elements, with
  /// equally many elements, 0 to `max_skipped`, skipped between adjacent ones; single elements
  /// count only once. Negative elements belong to no n-gram.
  template <typename Body>
  void count(const std::int64_t* elements, std::int64_t size, const Counting& counting,
             Body body) const {
    for (std::int64_t step = 1; step - 1 <= counting.max_skipped; ++step) {
      const std::int64_t least = std::max<std::int64_t>(counting.shortest, step == 1 ? 1 : 2);
      if (least > counting.longest || (step - 1) * (least - 1) >= size) return;
      for (std::int64_t start = 0; start < size; ++start) {
        std::int64_t node = 0;
        std::int64_t at = start;
        for (std::int64_t length = 1; length <= counting.longest && at < size; ++length) {
          node = next(node, elements[at]);
          if (node < 0) break;
          const std::int64_t gram = grams_[static_cast<std::size_t>(node)];
          if (length >= least && gram >= 0) body(gram);
          at += step;
        }
      }
    }
  }

 private:
  struct Step {
    std::int64_t node;
    std::int64_t element;
    std::int64_t to;
  };

  /// The node that `element` leads to, or -1 if there is none.
  std::int64_t next(std::int64_t node, std::int64_t element) const;

  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> growing_;  ///< until finish()
  std::vector<Step> steps_;                 ///< sorted by node and element
  std::vector<std::int64_t> grams_ = {-1};  ///< per node: the n-gram that ends there, or -1
};

}  // namespace ortool::cpu
