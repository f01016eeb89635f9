// Hashes of n-grams of token ids (com.microsoft.NGramHashMapping and VarlenNGramHashMapping).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct NGramHash {
  std::int64_t batch = 0;
  std::int64_t length = 0;   ///< of each sequence; of all together if they have bounds
  std::int64_t longest = 2;  ///< n-grams of 2 to this many ids
  std::int64_t heads = 1;    ///< for each length
  std::int64_t missing = 0;  ///< stands for ids that are not there
  bool resets = false;       ///< whether `end` separates sequences
  std::int64_t end = 0;
  std::int64_t capacity = 0;  ///< of captured states
  std::int64_t pad = 0;       ///< fills states that are not captured
};

/// Operands that may be null: past and its segments (batch x longest - 1), offsets (one a head),
/// segments, the bounds of sequences that lie one behind the other (batch + 1, ascending), and how
/// many states are captured (batch).
template <typename T>
struct NGramOperands {
  const T* ids;
  const T* multipliers;
  const T* sizes;  ///< positive, one a head
  const T* past;
  const T* offsets;
  const std::int32_t* segments;
  const std::int32_t* past_segments = nullptr;
  const std::int32_t* bounds = nullptr;
  const std::int32_t* captured = nullptr;
};

/// Outputs that may be null but the first.
template <typename T>
struct NGramOutputs {
  T* hashes;                                 ///< ids x heads of all n-grams
  T* present = nullptr;                      ///< batch x longest - 1: the last ids
  std::int32_t* present_segments = nullptr;  ///< their segments
  T* states = nullptr;  ///< batch x capacity x longest - 1: the last ids after each of the first
};

/// Products and sums wrap. T: int32, int64.
template <typename T>
void ngram_hash(const NGramHash& hash, const NGramOperands<T>& operands,
                const NGramOutputs<T>& outputs, Workers& workers);

}  // namespace ortool::cpu
