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

/// Divides the sums of a row by the number of pixels; `rows` of each window's count.
void divide_row(const PoolSizes& sizes, std::int64_t rows, bool counts_padding,
                const ColumnRange& inside, const PoolFunctions& functions, float* sums) {
  const auto divide_one = [&](std::int64_t column) {
    const std::int64_t count = rows * counted(sizes, 2, column, counts_padding);
    sums[column] = count == 0 ? 0.0F : sums[column] / static_cast<float>(count);
  };
  for (std::int64_t column = 0; column < inside.begin; ++column) divide_one(column);
  const std::int64_t count = rows * sizes.kernel[2];
  if (count == 0) {
    std::fill(sums + inside.begin, sums + inside.end, 0.0F);
  } else {
    functions.divide(sums + inside.begin, inside.end - inside.begin, static_cast<float>(count));
  }
  for (std::int64_t column = inside.end; column < sizes.out[2]; ++column) divide_one(column);
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
        const bool is_pooled = pooler.run(
            from, depth, row, 0.0F, functions.sum_of_windows,
            [](float a, float b) { return a + b; }, to);
        if (is_pooled) {
          divide_row(sizes, rows, counts_padding, inside, functions, to);
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
