// Embeddings of words by a convolution over their characters (com.microsoft.WordConvEmbedding).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct WordSizes {
  std::int64_t words = 0;
  std::int64_t letters = 0;  ///< ids of a word, those past its end included
  std::int64_t characters = 0;
  std::int64_t vector_size = 0;
  std::int64_t filters = 0;
  std::int64_t window = 1;  ///< at most `letters`
};

/// For each word and filter the maximum over the word's windows of tanh(bias + filter * vectors); 0
/// for words whose first id is not positive. A word has as many characters as positive ids, at
/// least `window`. Ids must be below `characters` and not negative.
void embed_words(const WordSizes& sizes, const std::int32_t* ids, const float* filters,
                 const float* bias, const float* vectors, float* out, Workers& workers);

}  // namespace ortool::cpu
