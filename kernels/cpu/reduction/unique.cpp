// Unique: groups equal rows by sorting their indices.
#include "kernels/cpu/reduction/unique.hpp"

#include <algorithm>
#include <numeric>

namespace ortool::cpu {
namespace {

/// Renumbers the distinct rows by their first occurrence.
void number_by_occurrence(std::int64_t rows, std::int64_t distinct, const UniqueResult& result) {
  std::int64_t* number = result.order;
  std::fill_n(number, distinct, std::int64_t{-1});
  std::fill_n(result.counts, distinct, std::int64_t{0});
  std::int64_t next = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t& own = number[result.inverse[row]];
    if (own < 0) {
      result.first[next] = row;
      own = next++;
    }
    result.inverse[row] = own;
    ++result.counts[own];
  }
}

}  // namespace

std::int64_t unique_rows(const std::uint64_t* keys, std::int64_t rows, std::int64_t width,
                         bool sorted, const UniqueResult& result, const Workers& workers) {
  const auto compare = [=](std::int64_t a, std::int64_t b) {
    const auto [left, right] =
        std::mismatch(keys + a * width, keys + (a + 1) * width, keys + b * width);
    if (left == keys + (a + 1) * width) return 0;
    return *left < *right ? -1 : 1;
  };
  std::iota(result.order, result.order + rows, std::int64_t{0});
  constexpr std::uint32_t comparisons_a_poll = 4096;
  std::uint32_t comparisons = 0;
  std::sort(result.order, result.order + rows, [&](std::int64_t a, std::int64_t b) {
    if (++comparisons % comparisons_a_poll == 0) workers.poll();
    const int found = compare(a, b);
    return found != 0 ? found < 0 : a < b;
  });
  std::int64_t distinct = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = result.order[i];
    if (i == 0 || compare(result.order[i - 1], row) != 0) {
      result.first[distinct] = row;
      result.counts[distinct++] = 0;
    }
    result.inverse[row] = distinct - 1;
    ++result.counts[distinct - 1];
  }
  if (!sorted) number_by_occurrence(rows, distinct, result);
  return distinct;
}

}  // namespace ortool::cpu
