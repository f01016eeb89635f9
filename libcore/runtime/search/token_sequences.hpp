// Token sequences of a search, one per row; each step reorders the rows and appends a token.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

class TokenSequences {
 public:
  /// `prompt`: int32 [batch, length]; each of its rows begins `beams` sequences. `max_length` is
  /// above that length.
  TokenSequences(const Tensor& prompt, std::int64_t beams, std::int64_t max_length, MemoryCap* cap);

  std::int64_t rows() const { return tokens_.shape()[0]; }
  std::int64_t length() const { return length_; }
  bool is_full() const { return length_ == tokens_.shape()[1]; }
  std::span<const std::int32_t> row(std::int64_t index) const;
  /// Sequence `i` becomes that of row `parents[i]` followed by `tokens[i]`.
  void append(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens);

 private:
  Tensor tokens_;
  Tensor next_;
  std::int64_t length_;
};

}  // namespace ortool
