// Unique: the distinct rows among rows of keys.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Outputs of unique_rows; each has room for one value per row.
struct UniqueResult {
  std::int64_t* order;    ///< scratch
  std::int64_t* first;    ///< per distinct row: its first occurrence
  std::int64_t* inverse;  ///< per row: the number of its distinct row
  std::int64_t* counts;   ///< per distinct row: how often it occurs
};

/// Rows of `width` keys, compared lexicographically. The distinct rows are numbered in ascending
/// order, or by first occurrence unless `sorted`. Returns their count.
std::int64_t unique_rows(const std::uint64_t* keys, std::int64_t rows, std::int64_t width,
                         bool sorted, const UniqueResult& result, const Workers& workers);

}  // namespace ortool::cpu
