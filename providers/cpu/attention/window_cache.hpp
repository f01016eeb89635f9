// Sliding window cache: which positions its rows hold before and after a step.
#pragma once

#include <cstdint>

#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/attention/token_positions.hpp"

namespace ortool::cpu {

/// Sizes of the caches of a node, and of a step.
struct WindowSizes {
  std::int64_t window = 0;    ///< keys that a token sees, its own included
  std::int64_t capacity = 0;  ///< rows of a cache, at least `window`
  std::int64_t batch = 0;
  std::int64_t length = 0;  ///< new tokens
  std::int64_t total = 0;   ///< past and new tokens of the longest batch
};

/// How many of `tokens` positions are kept, the latest ones: all that fit; once they do not, as
/// many rows as there are more than the window, and one, become free at once.
std::int64_t resident_rows(std::int64_t tokens, std::int64_t capacity, std::int64_t window);

/// Rows of caches that drop what leaves the window, in the workspace, by batch. Rows are in the
/// order of positions, and the attention counts positions from the first row that it reads.
class WindowCache {
 public:
  WindowCache() = default;
  WindowCache(const WindowSizes& sizes, WorkspaceLayout& layout);

  bool is_given() const { return sizes_.window > 0; }
  /// Whether new tokens may see rows that are dropped after them. Such a step puts past and new
  /// rows into a buffer, which the attention reads, and copies what is kept; others extend the
  /// cache itself.
  bool is_staged() const { return is_staged_; }
  /// Rows that the attention reads: of the buffer, or of the cache.
  std::int64_t rows() const { return rows_; }

  /// Throws ErrorCode::invalid for lengths shorter than the new tokens.
  void fill(const RunContext& run, const CachePositions& positions) const;

  /// Rows that the attention reads, new ones included.
  std::int64_t* lengths(const RunContext& run) const { return at(run, 0); }
  /// The row of the first new token.
  std::int64_t* firsts(const RunContext& run) const { return at(run, 1); }
  /// The position of the first row.
  std::int64_t* origins(const RunContext& run) const { return at(run, 2); }
  /// Past rows that are dropped before new ones are stored.
  std::int64_t* dropped(const RunContext& run) const { return at(run, 3); }
  /// Rows that remain after a staged step.
  std::int64_t* kept(const RunContext& run) const { return at(run, 4); }

 private:
  std::int64_t* at(const RunContext& run, std::int64_t part) const {
    return reinterpret_cast<std::int64_t*>(run.workspace() + space_) + part * sizes_.batch;
  }

  WindowSizes sizes_;
  bool is_staged_ = false;
  std::int64_t rows_ = 0;
  std::int64_t space_ = 0;
};

}  // namespace ortool::cpu
