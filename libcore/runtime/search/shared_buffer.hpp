// Shared buffers of past and present in decoder bodies: caches with room for all tokens, and the
// indirection by which beams read each other's tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib/search/search_bodies.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Tokens stay in the rows that computed them; `advance` keeps track of where each beam's are.
class SharedBuffer {
 public:
  /// At first there is one row for each row of the batch.
  SharedBuffer(std::int64_t batch, std::int64_t max_length, MemoryCap* cap);

  /// From now on there are `beams` rows for each row of the batch, whose tokens are equal so far.
  void expand(std::int64_t beams);
  /// Row `i` continues row `parents[i]`, whose caches hold `length` tokens.
  void advance(std::span<const std::int32_t> parents, std::int64_t length);

  /// What a body reads besides its caches, which hold `length` tokens.
  RunValue input(DecoderInput which, const Value& declared, std::int64_t length) const;
  /// A cache with room for all tokens, zeros behind those that it has; `axis` counts tokens.
  RunValue lengthened(const RunValue& cache, std::int64_t axis) const;
  /// Zeros.
  Tensor empty_cache(DataType type, std::vector<std::int64_t> sizes, std::int64_t axis) const;

 private:
  std::int64_t batch_;
  std::int64_t max_length_;
  std::int64_t beams_ = 1;
  MemoryCap* cap_;
  std::vector<std::int32_t> beam_of_;  ///< [batch, beams, max_length]
};

}  // namespace ortool
