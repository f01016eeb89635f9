// Norm kernels: softmax and normalizations, with one block for each row.
#pragma once

#include "providers/cuda/kernels/row_partials.hpp"

namespace ortool::cuda {

template <typename Real, typename Storage>
ORTOOL_DEVICE void softmax(const Block& block, const SoftmaxParams& params) {
  ORTOOL_SHARED(Real, partial, row_threads);
  ORTOOL_SHARED(Real, most, 1);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const int64_t base = row / params.inner * params.size * params.inner + row % params.inner;
    const auto element = [&](int64_t i) {
      return load<Real>(Storage(), params.input, params.input_type, base + i * params.inner);
    };
    greatest_of_row(block, partial, params.size, element);
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) most[0] = partial[0];
    }
    sum_row(block, partial, params.size, [&](int64_t i) { return of_exp(element(i) - most[0]); });
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
    sum_row(block, partial, params.size, [&](int64_t i) {
      const Real x = norm_element<Real, Storage>(params, row, i);
      if (params.sum != nullptr)
        store(Storage(), params.sum, params.type, row * params.size + i, x);
      return x;
    });
    ORTOOL_THREADS(block, thread) {
      if (thread == 0)
        statistics[0] =
            params.subtracts_mean != 0 ? partial[0] / static_cast<Real>(params.size) : Real(0);
    }
    sum_row(block, partial, params.size, [&](int64_t i) {
      const Real x = norm_element<Real, Storage>(params, row, i) - statistics[0];
      return x * x;
    });
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
