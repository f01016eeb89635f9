// N-gram blocking: compares each n-gram of a row with the row's last tokens.
#include "kernels/cpu/search/ngram_block.hpp"

#include <algorithm>
#include <limits>

namespace ortool::cpu {

std::int64_t block_repeated_ngrams(std::int64_t size, const std::int64_t* tokens,
                                   std::int64_t length, float* scores, std::int64_t vocabulary) {
  const std::int64_t* last = tokens + length - (size - 1);
  for (std::int64_t i = 0; i + size <= length; ++i) {
    if (!std::equal(last, tokens + length, tokens + i)) continue;
    const std::int64_t token = tokens[i + size - 1];
    if (token < 0 || token >= vocabulary) return token < 0 ? vocabulary : token;
    scores[token] = -std::numeric_limits<float>::infinity();
  }
  return -1;
}

}  // namespace ortool::cpu
