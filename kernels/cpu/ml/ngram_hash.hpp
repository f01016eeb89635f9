// Hashes of n-grams of token ids (com.microsoft.NGramHashMapping).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct NGramHash {
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t longest = 2;  ///< n-grams of 2 to this many ids
  std::int64_t heads = 1;    ///< for each length
  std::int64_t missing = 0;  ///< stands for ids that are not there
  bool resets = false;       ///< whether `end` separates sequences
  std::int64_t end = 0;
};

/// Operands that may be null: past (batch x longest - 1), offsets (one a head), segments.
template <typename T>
struct NGramOperands {
  const T* ids;
  const T* multipliers;
  const T* sizes;  ///< positive, one a head
  const T* past;
  const T* offsets;
  const std::int32_t* segments;
};

/// hashes: batch x length x heads of all n-grams; present (may be null): batch x longest - 1, the
/// last ids. Products and sums wrap. T: int32, int64.
template <typename T>
void ngram_hash(const NGramHash& hash, const NGramOperands<T>& operands, T* hashes, T* present,
                Workers& workers);

}  // namespace ortool::cpu
