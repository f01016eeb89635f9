// Average pooling of NCHW images.
#include <type_traits>

#include "kernels/cpu/pooling/pool_window.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
T sum_of_window(const T* plane, const PoolSizes& sizes, const WindowRange (&ranges)[3],
                const Workers& workers) {
  T sum = 0;
  for (std::int64_t d = ranges[0].begin; d < ranges[0].end; ++d) {
    const std::int64_t z = ranges[0].start + d * sizes.dilation[0];
    for (std::int64_t r = ranges[1].begin; r < ranges[1].end; ++r) {
      workers.poll();
      const std::int64_t row = z * sizes.in[1] + ranges[1].start + r * sizes.dilation[1];
      for (std::int64_t c = ranges[2].begin; c < ranges[2].end; ++c) {
        sum += plane[row * sizes.in[2] + ranges[2].start + c * sizes.dilation[2]];
      }
    }
  }
  return sum;
}

/// Number of pixels along one axis that the mean counts.
std::int64_t counted(const PoolSizes& sizes, int axis, std::int64_t out, bool counts_padding) {
  if (counts_padding) return padded_count(sizes, axis, out);
  const WindowRange range = window_range(sizes, axis, out);
  return range.end - range.begin;
}

float mean_of(float sum, std::int64_t count) {
  return count == 0 ? 0.0F : sum / static_cast<float>(count);
}

/// Divides the sums of a row but for some columns by the number of pixels; `rows` of each window's
/// count.
void divide_outside(const PoolSizes& sizes, std::int64_t rows, bool counts_padding,
                    const ColumnRange& done, float* sums) {
  for (std::int64_t column = 0; column < sizes.out[2]; ++column) {
    if (column == done.begin) column = done.end;
    if (column >= sizes.out[2]) return;
    sums[column] = mean_of(sums[column], rows * counted(sizes, 2, column, counts_padding));
  }
}

/// The same for all columns.
void divide_row(const PoolSizes& sizes, std::int64_t rows, bool counts_padding,
                const ColumnRange& inside, const PoolFunctions& functions, float* sums) {
  const std::int64_t count = rows * sizes.kernel[2];
  if (count == 0) {
    std::fill(sums + inside.begin, sums + inside.end, 0.0F);
  } else {
    functions.divide(sums + inside.begin, inside.end - inside.begin, static_cast<float>(count));
  }
  divide_outside(sizes, rows, counts_padding, inside, sums);
}

}  // namespace

template <typename T>
void average_pool(const PoolSizes& sizes, bool counts_padding, const T* x, T* y, Isa isa,
                  Workers& workers) {
  const std::int64_t plane_rows = sizes.out[0] * sizes.out[1];
  const std::int64_t pixels_in = sizes.in[0] * sizes.in[1] * sizes.in[2];
  if (sizes.out[2] <= 0) return;
  const PoolFunctions& functions = pool_functions(isa);
  const ColumnRange inside = columns_inside(sizes);
  const RowPoolKernel pooler(sizes, functions);
  const std::int64_t left_columns = counted(sizes, 2, 0, counts_padding);
  const std::int64_t right_columns = counted(sizes, 2, sizes.out[2] - 1, counts_padding);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    RowPlace at = row_place(sizes, begin);
    for (std::int64_t index = begin; index < end; ++index, at.advance(sizes)) {
      workers.poll();
      const auto [plane, depth, row] = at;
      const T* from = x + plane * pixels_in;
      T* to = y + index * sizes.out[2];
      const std::int64_t rows =
          counted(sizes, 0, depth, counts_padding) * counted(sizes, 1, row, counts_padding);
      if constexpr (std::is_same_v<T, float>) {
        const RowPixelCounts divisors = {static_cast<float>(rows * sizes.kernel[2]),
                                         static_cast<float>(rows * left_columns),
                                         static_cast<float>(rows * right_columns)};
        const bool is_pooled = pooler.run(
            from, depth, row, 0.0F, functions.mean_of_windows,
            [](float a, float b) { return a + b; }, to, divisors);
        if (is_pooled) {
          divide_outside(sizes, rows, counts_padding, pooler.pooled(), to);
          continue;
        }
        if (window_reach(sizes) <= row_buffer) {
          pool_row(sizes, from, depth, row, 0.0F, functions.add_into,
                   [&](const float* buffer, std::int64_t first, std::int64_t count) {
                     functions.sum_windows(buffer, sizes.kernel[2], sizes.stride[2],
                                           sizes.dilation[2], count, to + first);
                   });
          divide_row(sizes, rows, counts_padding, inside, functions, to);
          continue;
        }
      }
      WindowRange ranges[3] = {window_range(sizes, 0, depth), window_range(sizes, 1, row), {}};
      for (std::int64_t column = 0; column < sizes.out[2]; ++column) {
        ranges[2] = window_range(sizes, 2, column);
        const T sum = sum_of_window(from, sizes, ranges, workers);
        const std::int64_t count = rows * counted(sizes, 2, column, counts_padding);
        to[column] = count == 0 ? T{0} : sum / static_cast<T>(count);
      }
    }
  };
  workers.parallel_ranges(sizes.planes * plane_rows, pool_grain(sizes), body);
}

template void average_pool(const PoolSizes&, bool, const float*, float*, Isa, Workers&);
template void average_pool(const PoolSizes&, bool, const double*, double*, Isa, Workers&);

template <typename T>
void global_average_pool(std::int64_t planes, std::int64_t pixels, const T* x, T* y, Isa isa,
                         Workers& workers) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, 32 * 1024 / std::max<std::int64_t>(1, pixels));
  workers.parallel_ranges(planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const T* from = x + plane * pixels;
      T sum = 0;
      if constexpr (std::is_same_v<T, float>) {
        sum = pool_functions(isa).sum_of(from, pixels);
      } else {
        for (std::int64_t i = 0; i < pixels; ++i) sum += from[i];
      }
      y[plane] = sum / static_cast<T>(pixels);
    }
  });
}

template void global_average_pool(std::int64_t, std::int64_t, const float*, float*, Isa, Workers&);
template void global_average_pool(std::int64_t, std::int64_t, const double*, double*, Isa,
                                  Workers&);

}  // namespace ortool::cpu
