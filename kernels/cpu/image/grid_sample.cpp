// GridSample: computes interpolation taps for a tile of positions, then sums them per channel.
#include "kernels/cpu/image/grid_sample.hpp"

#include <type_traits>

#include "kernels/cpu/image/interpolation_taps.hpp"
#include "kernels/cpu/isa/gather_sum.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t tile_taps = 2048;

template <typename C>
struct SampleTile {
  std::int64_t size = 0;  ///< positions
  std::int32_t index[tile_taps];
  C weight[tile_taps];
};

std::int64_t taps_of(const GridSampleSizes& sizes) {
  const std::int64_t each = sizes.mode == SampleMode::nearest  ? 1
                            : sizes.mode == SampleMode::linear ? 2
                                                               : 4;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < sizes.in.size(); ++i) taps *= each;
  return taps;
}

/// Computes the taps of `count` positions, whose coordinates start at `grid`.
template <typename C, typename G>
void fill_tile(const GridSampleSizes& sizes, const G* grid, std::int64_t count,
               SampleTile<C>& tile) {
  const std::size_t axes = sizes.in.size();
  const std::int64_t taps = taps_of(sizes);
  const std::int64_t each = sizes.mode == SampleMode::nearest  ? 1
                            : sizes.mode == SampleMode::linear ? 2
                                                               : 4;
  for (std::int64_t p = 0; p < count; ++p) {
    AxisTaps<C> axis_taps[GridSampleSizes::max_axes];
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const G number =
          grid[p * static_cast<std::int64_t>(axes) + static_cast<std::int64_t>(axes - 1 - axis)];
      AxisSampler<C>(sizes, sizes.in[axis]).set(convert_number<C>(number), axis_taps[axis]);
    }
    std::int64_t choice[GridSampleSizes::max_axes] = {};  // of the tap along each axis
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      std::int64_t index = 0;
      C weight = C{1};
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::int64_t here = axis_taps[axis].index[choice[axis]];
        index = index < 0 || here < 0 ? -1 : index * sizes.in[axis] + here;
        weight *= axis_taps[axis].weight[choice[axis]];
      }
      tile.index[tap * tile.size + p] = static_cast<std::int32_t>(index);
      tile.weight[tap * tile.size + p] = weight;
      for (std::size_t axis = axes; axis-- > 0;) {
        if (++choice[axis] < each) break;
        choice[axis] = 0;
      }
    }
  }
}

template <typename T, typename C>
void sum_tile(const SampleTile<C>& tile, std::int64_t taps, std::int64_t count, const T* image,
              Isa isa, T* out) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<C, float>) {
    gather_sum_function(isa)({.from = image,
                              .index = tile.index,
                              .weight = tile.weight,
                              .taps = taps,
                              .stride = tile.size,
                              .count = count,
                              .out = out});
  } else {
    using S = std::conditional_t<std::is_same_v<T, double> ||
                                     (std::is_integral_v<T> && sizeof(T) >= sizeof(std::int32_t)),
                                 double, float>;
    for (std::int64_t p = 0; p < count; ++p) {
      S sum = S{0};
      for (std::int64_t tap = p; tap < taps * tile.size; tap += tile.size) {
        if (tile.index[tap] < 0) continue;
        sum += static_cast<S>(tile.weight[tap]) * convert_number<S>(image[tile.index[tap]]);
      }
      out[p] = convert_number<T>(sum);
    }
  }
}

template <typename T, typename C>
void pick_tile(const SampleTile<C>& tile, std::int64_t count, const T* image, T* out) {
  for (std::int64_t p = 0; p < count; ++p) out[p] = tile.index[p] < 0 ? T{} : image[tile.index[p]];
}

template <typename G>
void sample(const GridSampleSizes& sizes, DataType type, const void* x, const G* grid, void* y,
            Isa isa, Workers& workers) {
  using C = std::conditional_t<std::is_same_v<G, double>, double, float>;
  const std::int64_t taps = taps_of(sizes);
  const std::int64_t tile = tile_taps / taps;
  const std::int64_t tiles = (sizes.positions + tile - 1) / tile;
  const auto axes = static_cast<std::int64_t>(sizes.in.size());
  std::int64_t pixels = 1;
  for (const std::int64_t size : sizes.in) pixels *= size;
  workers.parallel_for(sizes.batch * tiles, [&](std::int64_t task) {
    const std::int64_t image = task / tiles;
    const std::int64_t first = task % tiles * tile;
    const std::int64_t count = std::min(tile, sizes.positions - first);
    SampleTile<C> taps_here;
    taps_here.size = tile;
    fill_tile(sizes, grid + (image * sizes.positions + first) * axes, count, taps_here);
    dispatch_data_type(type, [&](auto number) {
      using T = decltype(number);
      for (std::int64_t c = 0; c < sizes.channels; ++c) {
        const std::int64_t plane = image * sizes.channels + c;
        const T* from = static_cast<const T*>(x) + plane * pixels;
        T* to = static_cast<T*>(y) + plane * sizes.positions + first;
        if (sizes.mode == SampleMode::nearest) {
          pick_tile(taps_here, count, from, to);
        } else if constexpr (!std::is_same_v<T, bool>) {
          sum_tile(taps_here, taps, count, from, isa, to);
        }
      }
    });
  });
}

}  // namespace

void grid_sample(const GridSampleSizes& sizes, DataType type, const void* x, DataType grid_type,
                 const void* grid, void* y, Isa isa, Workers& workers) {
  switch (grid_type) {
    case DataType::float64:
      return sample(sizes, type, x, static_cast<const double*>(grid), y, isa, workers);
    case DataType::float16:
      return sample(sizes, type, x, static_cast<const Float16Bits*>(grid), y, isa, workers);
    case DataType::bfloat16:
      return sample(sizes, type, x, static_cast<const BFloat16Bits*>(grid), y, isa, workers);
    default:
      ORTOOL_CHECK(grid_type == DataType::float32);
      return sample(sizes, type, x, static_cast<const float*>(grid), y, isa, workers);
  }
}

template <typename T>
void affine_grid(std::int64_t batch, const std::vector<std::int64_t>& image, bool align_corners,
                 const T* theta, T* grid, Workers& workers) {
  const std::size_t axes = image.size();
  std::int64_t rows = batch;
  for (std::size_t axis = 0; axis + 1 < axes; ++axis) rows *= image[axis];
  const auto place = [&](std::int64_t index, std::int64_t size) {
    if (align_corners) {
      return size == 1
                 ? T{-1}
                 : static_cast<T>(2.0 * static_cast<double>(index) / static_cast<double>(size - 1) -
                                  1.0);
    }
    return static_cast<T>((2.0 * static_cast<double>(index) + 1.0) / static_cast<double>(size) -
                          1.0);
  };
  const std::int64_t width = image.back();
  const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, width));
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      T places[3] = {};
      std::int64_t rest = row;
      for (std::size_t axis = axes - 1; axis-- > 0;) {
        places[axis] = place(rest % image[axis], image[axis]);
        rest /= image[axis];
      }
      const T* matrix = theta + rest * static_cast<std::int64_t>(axes * (axes + 1));
      T* out = grid + row * width * static_cast<std::int64_t>(axes);
      for (std::int64_t x = 0; x < width; ++x) {
        places[axes - 1] = place(x, width);
        for (std::size_t r = 0; r < axes; ++r) {
          T sum = matrix[r * (axes + 1) + axes];
          // A position's coordinates start with the last axis.
          for (std::size_t k = 0; k < axes; ++k)
            sum += matrix[r * (axes + 1) + k] * places[axes - 1 - k];
          *out++ = sum;
        }
      }
    }
  });
}

template void affine_grid(std::int64_t, const std::vector<std::int64_t>&, bool, const float*,
                          float*, Workers&);
template void affine_grid(std::int64_t, const std::vector<std::int64_t>&, bool, const double*,
                          double*, Workers&);

}  // namespace ortool::cpu
