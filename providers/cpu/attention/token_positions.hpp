// Positions of tokens in a key/value cache, and the rotary angles of those positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/attention/head_rows.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/support/cast_operand.hpp"

namespace ortool::cpu {

/// Where the new tokens of each batch lie in its cache, in the workspace.
class CachePositions {
 public:
  CachePositions() = default;
  CachePositions(std::int64_t batch, std::int64_t length, std::int64_t total, std::size_t lengths,
                 WorkspaceLayout& layout);

  /// Fills them from an input of lengths less 1. Throws ErrorCode::invalid for lengths that the
  /// cache cannot have.
  void fill(const RunContext& run) const;
  /// Keys of each batch, new ones included.
  std::int64_t* lengths(const RunContext& run) const { return at(run, 0); }
  /// Of the first new token of each batch.
  std::int64_t* firsts(const RunContext& run) const { return at(run, batch_); }
  /// Whether there are no past tokens.
  bool is_prompt() const { return length_ == total_; }

 private:
  std::int64_t* at(const RunContext& run, std::int64_t index) const {
    return reinterpret_cast<std::int64_t*>(run.workspace() + space_) + index;
  }

  std::int64_t batch_ = 0;
  std::int64_t length_ = 0;
  std::int64_t total_ = 0;
  std::size_t input_ = 0;
  std::int64_t space_ = 0;
};

/// Cosines and sines of tokens, from caches with a row for each position. Rows of caches of other
/// types than float32 are converted as needed.
class TokenAngles {
 public:
  TokenAngles() = default;
  /// `positions`: an optional input; of a prompt, its first element is the position of the first
  /// token of every batch.
  TokenAngles(const PrepareContext& context, std::size_t cosines, std::size_t sines,
              std::size_t positions, const HeadSizes& sizes, WorkspaceLayout& layout);

  /// Sets the rotary members of `steps`. Throws ErrorCode::invalid for positions outside the
  /// caches.
  void fill(const RunContext& run, const CachePositions& cache, HeadSteps& steps) const;

 private:
  std::size_t inputs_[3] = {};
  bool is_first_only_ = false;  ///< there are fewer positions than tokens
  DataType type_ = DataType::float32;
  HeadSizes sizes_;
  std::int64_t rows_ = 0;
  std::int64_t pairs_ = 0;
  std::int64_t ids_space_ = 0;
  std::int64_t cosines_space_ = 0;
  std::int64_t sines_space_ = 0;
};

}  // namespace ortool::cpu
