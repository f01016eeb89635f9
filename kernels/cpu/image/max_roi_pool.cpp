// MaxRoiPool: maps each bin of a region to a range of pixels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/image/roi_pool.hpp"

namespace ortool::cpu {
namespace {

struct PixelRange {
  std::int64_t begin;
  std::int64_t end;
};

/// The pixels of a bin along one axis, for a region from `first` to `last`.
template <typename T>
PixelRange part_of(T first, T last, std::int64_t part, std::int64_t parts, std::int64_t size) {
  const T length = std::max(last - first + T{1}, T{1}) / static_cast<T>(parts);
  const auto bounded = [&](T place) {
    if (!(place > T{0})) return std::int64_t{0};
    return place >= static_cast<T>(size) ? size : static_cast<std::int64_t>(place);
  };
  return {bounded(first + std::floor(static_cast<T>(part) * length)),
          bounded(first + std::ceil(static_cast<T>(part + 1) * length))};
}

}  // namespace

template <typename T>
void max_roi_pool(const RegionPoolSizes& sizes, const T* x, const T* regions, T* y,
                  Workers& workers) {
  const std::int64_t plane = sizes.in[0] * sizes.in[1];
  const std::int64_t parts = sizes.out[0] * sizes.out[1];
  const T scale = static_cast<T>(sizes.spatial_scale);
  workers.parallel_for(sizes.regions, [&](std::int64_t index) {
    const T* region = regions + index * 5;
    const T* image = x + static_cast<std::int64_t>(region[0]) * sizes.channels * plane;
    for (std::int64_t part = 0; part < parts; ++part) {
      const PixelRange rows = part_of(std::round(region[2] * scale), std::round(region[4] * scale),
                                      part / sizes.out[1], sizes.out[0], sizes.in[0]);
      const PixelRange columns =
          part_of(std::round(region[1] * scale), std::round(region[3] * scale), part % sizes.out[1],
                  sizes.out[1], sizes.in[1]);
      const bool is_empty = rows.begin >= rows.end || columns.begin >= columns.end;
      for (std::int64_t c = 0; c < sizes.channels; ++c) {
        workers.poll();
        T best = is_empty ? T{0} : -std::numeric_limits<T>::infinity();
        for (std::int64_t h = rows.begin; !is_empty && h < rows.end; ++h) {
          const T* row = image + c * plane + h * sizes.in[1];
          for (std::int64_t w = columns.begin; w < columns.end; ++w)
            best = row[w] > best || row[w] != row[w] ? row[w] : best;
        }
        y[(index * sizes.channels + c) * parts + part] = best;
      }
    }
  });
}

template void max_roi_pool(const RegionPoolSizes&, const float*, const float*, float*, Workers&);
template void max_roi_pool(const RegionPoolSizes&, const double*, const double*, double*, Workers&);

}  // namespace ortool::cpu
