// Row kernels: reductions, softmax and normalizations, with one block for each row.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

constexpr int row_threads = 256;

/// Combines the partial results of all threads pairwise; the result is in partial[0].
template <typename Number, typename Combine>
ORTOOL_DEVICE void combine_partials(const Block& block, Number* partial, Combine combine) {
  for (int half = row_threads / 2; half > 0; half /= 2) {
    ORTOOL_THREADS(block, thread) {
      if (thread < half) partial[thread] = combine(partial[thread], partial[thread + half]);
    }
  }
}

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
    ORTOOL_THREADS(block, thread) {
      Number sum = reduce_start<Number>(params.kind);
      for (int64_t i = thread; i < params.reduced; i += row_threads) {
        const int64_t from = base + strided_index(params.axes, params.strides, i);
        const Number x = load<Number>(Storage(), params.input, params.input_type, from);
        sum = reduce_step(params.kind, sum, reduce_element(params.kind, x));
      }
      partial[thread] = sum;
    }
    combine_partials(block, partial,
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
    ORTOOL_THREADS(block, thread) {
      Real greatest = Real(-INFINITY);
      for (int64_t i = thread; i < params.reduced; i += row_threads)
        greatest = apply_binary(ElementOp::max, greatest, element(i));
      partial[thread] = greatest;
    }
    combine_partials(block, partial,
                     [](Real x, Real y) { return apply_binary(ElementOp::max, x, y); });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) most[0] = partial[0] - partial[0] == Real(0) ? partial[0] : Real(0);
    }
    ORTOOL_THREADS(block, thread) {
      Real sum = Real(0);
      for (int64_t i = thread; i < params.reduced; i += row_threads)
        sum += of_exp(element(i) - most[0]);
      partial[thread] = sum;
    }
    combine_partials(block, partial, [](Real x, Real y) { return x + y; });
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

template <typename Real, typename Storage>
ORTOOL_DEVICE void softmax(const Block& block, const SoftmaxParams& params) {
  ORTOOL_SHARED(Real, partial, row_threads);
  ORTOOL_SHARED(Real, most, 1);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const int64_t base = row / params.inner * params.size * params.inner + row % params.inner;
    const auto element = [&](int64_t i) {
      return load<Real>(Storage(), params.input, params.input_type, base + i * params.inner);
    };
    ORTOOL_THREADS(block, thread) {
      Real greatest = Real(-INFINITY);
      for (int64_t i = thread; i < params.size; i += row_threads)
        greatest = apply_binary(ElementOp::max, greatest, element(i));
      partial[thread] = greatest;
    }
    combine_partials(block, partial,
                     [](Real x, Real y) { return apply_binary(ElementOp::max, x, y); });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) most[0] = partial[0];
    }
    ORTOOL_THREADS(block, thread) {
      Real sum = Real(0);
      for (int64_t i = thread; i < params.size; i += row_threads)
        sum += of_exp(element(i) - most[0]);
      partial[thread] = sum;
    }
    combine_partials(block, partial, [](Real x, Real y) { return x + y; });
    ORTOOL_THREADS(block, thread) {
      const Real sum = partial[0];
      const Real log_sum = of_log(sum);
      for (int64_t i = thread; i < params.size; i += row_threads) {
        const Real shifted = element(i) - most[0];
        const Real y =
            params.kind == SoftmaxKind::softmax ? of_exp(shifted) / sum : shifted - log_sum;
        store(Storage(), params.output, params.output_type, base + i * params.inner, y);
      }
    }
  }
}

/// 1 at the first greatest element of each slice; one thread for each.
ORTOOL_DEVICE void hardmax(const Block& block, const SoftmaxParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t row = block.index() * block.threads() + thread; row < params.rows;
         row += block.blocks() * block.threads()) {
      const int64_t base = row / params.inner * params.size * params.inner + row % params.inner;
      int64_t place = 0;
      double best = 0;
      for (int64_t i = 0; i < params.size; ++i) {
        const double x =
            load<double>(AnyStore(), params.input, params.input_type, base + i * params.inner);
        if (i == 0 || x > best) {
          best = x;
          place = i;
        }
      }
      for (int64_t i = 0; i < params.size; ++i)
        store(AnyStore(), params.output, params.output_type, base + i * params.inner,
              i == place ? 1.0F : 0.0F);
    }
  }
}

template <typename Real, typename Storage>
ORTOOL_DEVICE Real norm_element(const NormParams& params, int64_t row, int64_t i) {
  const int64_t at = row * params.size + i;
  Real x = load<Real>(Storage(), params.input, params.type, at);
  if (params.skip != nullptr) x += load<Real>(Storage(), params.skip, params.type, at);
  return x;
}

/// One block for each row.
template <typename Real, typename Storage>
ORTOOL_DEVICE void normalize(const Block& block, const NormParams& params) {
  ORTOOL_SHARED(Real, partial, row_threads);
  ORTOOL_SHARED(Real, statistics, 2);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const int64_t first_scale = row % params.row_period * params.row_scales;
    ORTOOL_THREADS(block, thread) {
      Real sum = Real(0);
      for (int64_t i = thread; i < params.size; i += row_threads) {
        const Real x = norm_element<Real, Storage>(params, row, i);
        if (params.sum != nullptr)
          store(Storage(), params.sum, params.type, row * params.size + i, x);
        sum += x;
      }
      partial[thread] = sum;
    }
    combine_partials(block, partial, [](Real x, Real y) { return x + y; });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0)
        statistics[0] =
            params.subtracts_mean != 0 ? partial[0] / static_cast<Real>(params.size) : Real(0);
    }
    ORTOOL_THREADS(block, thread) {
      Real sum = Real(0);
      for (int64_t i = thread; i < params.size; i += row_threads) {
        const Real x = norm_element<Real, Storage>(params, row, i) - statistics[0];
        sum += x * x;
      }
      partial[thread] = sum;
    }
    combine_partials(block, partial, [](Real x, Real y) { return x + y; });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) {
        const Real variance = partial[0] / static_cast<Real>(params.size);
        statistics[1] = params.divides != 0
                            ? Real(1) / of_sqrt(variance + static_cast<Real>(params.epsilon))
                            : Real(1);
        if (params.mean != nullptr)
          store(AnyStore(), params.mean, params.statistics_type, row, statistics[0]);
        if (params.inverse != nullptr)
          store(AnyStore(), params.inverse, params.statistics_type, row, statistics[1]);
      }
    }
    ORTOOL_THREADS(block, thread) {
      for (int64_t i = thread; i < params.size; i += row_threads) {
        Real y = (norm_element<Real, Storage>(params, row, i) - statistics[0]) * statistics[1];
        const int64_t scale = first_scale + i / params.inner;
        if (params.scale != nullptr)
          y *= load<Real>(AnyStore(), params.scale, params.scale_type, scale);
        if (params.bias != nullptr)
          y += load<Real>(AnyStore(), params.bias, params.scale_type, scale);
        store(Storage(), params.output, params.type, row * params.size + i, y);
      }
    }
  }
}

}  // namespace ortool::cuda
