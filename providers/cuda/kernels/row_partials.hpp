// Row partials: what the threads of a block have found of a row, combined.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

/// Combines the partial results of all threads pairwise; the result is in partial[0].
template <typename Number, typename Combine>
ORTOOL_DEVICE void combine_partials(const Block& block, Number* partial, Combine combine) {
  for (int half = row_threads / 2; half > 0; half /= 2) {
    ORTOOL_THREADS(block, thread) {
      if (thread < half) partial[thread] = combine(partial[thread], partial[thread + half]);
    }
  }
}

/// Takes the elements of a row into account one by one, each thread from `start` on, and combines
/// what threads have found: the result is in partial[0].
template <typename Number, typename Step, typename Combine>
ORTOOL_DEVICE void reduce_row(const Block& block, Number* partial, int64_t size, Number start,
                              Step step, Combine combine) {
  ORTOOL_THREADS(block, thread) {
    Number found = start;
    for (int64_t i = thread; i < size; i += row_threads) found = step(found, i);
    partial[thread] = found;
  }
  combine_partials(block, partial, combine);
}

/// partial[0] = Σ term(i)
template <typename Real, typename Term>
ORTOOL_DEVICE void sum_row(const Block& block, Real* partial, int64_t size, Term term) {
  reduce_row(
      block, partial, size, Real(0), [&](Real sum, int64_t i) { return sum + term(i); },
      [](Real x, Real y) { return x + y; });
}

/// partial[0] = the greatest element
template <typename Real, typename Element>
ORTOOL_DEVICE void greatest_of_row(const Block& block, Real* partial, int64_t size,
                                   Element element) {
  const auto greater = [](Real x, Real y) { return apply_binary(ElementOp::max, x, y); };
  reduce_row(
      block, partial, size, Real(-INFINITY),
      [&](Real greatest, int64_t i) { return greater(greatest, element(i)); }, greater);
}

}  // namespace ortool::cuda
