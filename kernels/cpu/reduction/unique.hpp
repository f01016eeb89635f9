// The distinct rows among rows of keys.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Where unique_rows writes: each has room for as many numbers as there are rows.
struct UniqueResult {
  std::int64_t* order;    ///< scratch
  std::int64_t* first;    ///< of each distinct row, the first row that is one
  std::int64_t* inverse;  ///< of each row, the number of its distinct row
  std::int64_t* counts;   ///< of each distinct row, how often it is there
};

/// Rows of `width` keys, compared key by key. The distinct ones are numbered rising, or by their
/// first occurrence where not `sorted`. Gives how many there are.
std::int64_t unique_rows(const std::uint64_t* keys, std::int64_t rows, std::int64_t width,
                         bool sorted, const UniqueResult& result, const Workers& workers);

}  // namespace ortool::cpu
