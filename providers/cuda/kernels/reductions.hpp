// Reduction kernels: sums, extremes and their places, with a block or a thread for each result.
#pragma once

#include "providers/cuda/kernels/row_partials.hpp"

namespace ortool::cuda {

/// Where the search for an extreme starts.
template <typename Number>
struct Extremes {
  static ORTOOL_DEVICE Number least() { return Number(-INFINITY); }
  static ORTOOL_DEVICE Number greatest() { return Number(INFINITY); }
};
template <>
struct Extremes<int64_t> {
  static ORTOOL_DEVICE int64_t least() { return INT64_MIN; }
  static ORTOOL_DEVICE int64_t greatest() { return INT64_MAX; }
};

template <typename Number>
ORTOOL_DEVICE Number reduce_start(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::max:
      return Extremes<Number>::least();
    case ReduceKind::min:
      return Extremes<Number>::greatest();
    case ReduceKind::product:
      return Number(1);
    default:
      return Number(0);
  }
}

template <typename Number>
ORTOOL_DEVICE Number reduce_step(ReduceKind kind, Number x, Number y) {
  switch (kind) {
    case ReduceKind::max:
      return apply_binary(ElementOp::max, x, y);
    case ReduceKind::min:
      return apply_binary(ElementOp::min, x, y);
    case ReduceKind::product:
      return product_of(x, y);
    default:
      return sum_of(x, y);
  }
}

template <typename Number>
ORTOOL_DEVICE Number reduce_element(ReduceKind kind, Number x) {
  switch (kind) {
    case ReduceKind::sum_square:
    case ReduceKind::l2:
      return product_of(x, x);
    case ReduceKind::l1:
      return x < Number(0) ? negated(x) : x;
    default:
      return x;
  }
}

template <typename Real>
ORTOOL_DEVICE Real reduce_end(ReduceKind kind, Real x, int64_t count) {
  switch (kind) {
    case ReduceKind::mean:
      return x / static_cast<Real>(count);
    case ReduceKind::l2:
      return of_sqrt(x);
    case ReduceKind::log_sum:
      return of_log(x);
    default:
      return x;
  }
}
ORTOOL_DEVICE int64_t reduce_end(ReduceKind kind, int64_t x, int64_t count) {
  switch (kind) {
    case ReduceKind::mean:
      return count == 0 ? 0 : x / count;
    case ReduceKind::l2:
      return integer_of(sqrt(static_cast<double>(x)));
    case ReduceKind::log_sum:
      return integer_of(log(static_cast<double>(x)));
    default:
      return x;
  }
}

/// One block for each result.
template <typename Number, typename Storage>
ORTOOL_DEVICE void reduce_rows(const Block& block, const ReduceParams& params) {
  ORTOOL_SHARED(Number, partial, row_threads);
  for (int64_t row = block.index(); row < params.outputs; row += block.blocks()) {
    const int64_t base = strided_index(params.kept, params.kept_strides, row);
    const auto step = [&](Number sum, int64_t i) {
      const int64_t from = base + strided_index(params.axes, params.strides, i);
      const Number x = load<Number>(Storage(), params.input, params.input_type, from);
      return reduce_step(params.kind, sum, reduce_element(params.kind, x));
    };
    reduce_row(block, partial, params.reduced, reduce_start<Number>(params.kind), step,
               [&](Number x, Number y) { return reduce_step(params.kind, x, y); });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) {
        store(Storage(), params.output, params.output_type, row,
              reduce_end(params.kind, partial[0], params.reduced));
      }
    }
  }
}

/// One thread for each result, for short reductions.
template <typename Number, typename Storage>
ORTOOL_DEVICE void reduce_elements(const Block& block, const ReduceParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t row = block.index() * block.threads() + thread; row < params.outputs;
         row += block.blocks() * block.threads()) {
      const int64_t base = strided_index(params.kept, params.kept_strides, row);
      Number sum = reduce_start<Number>(params.kind);
      for (int64_t i = 0; i < params.reduced; ++i) {
        const int64_t from = base + strided_index(params.axes, params.strides, i);
        const Number x = load<Number>(Storage(), params.input, params.input_type, from);
        sum = reduce_step(params.kind, sum, reduce_element(params.kind, x));
      }
      store(Storage(), params.output, params.output_type, row,
            reduce_end(params.kind, sum, params.reduced));
    }
  }
}

/// log(sum(e^x)) from the greatest element; one block for each result.
template <typename Real>
ORTOOL_DEVICE void reduce_log_sum_exp(const Block& block, const ReduceParams& params) {
  ORTOOL_SHARED(Real, partial, row_threads);
  ORTOOL_SHARED(Real, most, 1);
  for (int64_t row = block.index(); row < params.outputs; row += block.blocks()) {
    const int64_t base = strided_index(params.kept, params.kept_strides, row);
    const auto element = [&](int64_t i) {
      return load<Real>(AnyStore(), params.input, params.input_type,
                        base + strided_index(params.axes, params.strides, i));
    };
    greatest_of_row(block, partial, params.reduced, element);
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) most[0] = partial[0] - partial[0] == Real(0) ? partial[0] : Real(0);
    }
    sum_row(block, partial, params.reduced,
            [&](int64_t i) { return of_exp(element(i) - most[0]); });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0)
        store(AnyStore(), params.output, params.output_type, row, of_log(partial[0]) + most[0]);
    }
  }
}

/// Indices of extremes; one thread for each result.
template <typename Number>
ORTOOL_DEVICE void arg_extreme(const Block& block, const ReduceParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t row = block.index() * block.threads() + thread; row < params.outputs;
         row += block.blocks() * block.threads()) {
      const int64_t base = strided_index(params.kept, params.kept_strides, row);
      Number best = Number(0);
      int64_t place = 0;
      for (int64_t i = 0; i < params.reduced; ++i) {
        const Number x = load<Number>(AnyStore(), params.input, params.input_type,
                                      base + strided_index(params.axes, params.strides, i));
        // NaN is the extreme.
        const bool is_better =
            best == best && (x != x || (params.kind == ReduceKind::arg_max ? x > best : x < best));
        const bool is_equal = x == best || (x != x && best != best);
        if (i == 0 || is_better || (params.takes_last != 0 && is_equal)) {
          best = x;
          place = i;
        }
      }
      static_cast<int64_t*>(params.output)[row] = place;
    }
  }
}

}  // namespace ortool::cuda
