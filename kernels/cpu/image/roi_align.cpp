// RoiAlign: sample positions are computed once per region and axis; the mean is separable.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/image/roi_pool.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// A sample between two pixels of an axis.
template <typename T>
struct AxisSample {
  std::int64_t low;
  std::int64_t high;
  T low_weight;
  T high_weight;
};

/// One axis of a region.
template <typename T>
struct RegionAxis {
  T start;
  T part;             ///< length of a bin
  std::int64_t size;  ///< of the image, in pixels
  T samples;          ///< per bin
  const Workers& workers;

  RegionAxis(T begin, T end, std::int64_t pixels, std::int64_t parts, const RegionAlignment& how,
             T scale, const Workers& polled)
      : workers(polled) {
    const T shift = how.shifts_half_a_pixel ? T{0.5} : T{0};
    start = begin * scale - shift;
    T extent = end * scale - shift - start;
    if (!how.shifts_half_a_pixel) extent = std::max(extent, T{1});
    part = extent / static_cast<T>(parts);
    size = pixels;
    samples = how.sampling_ratio > 0 ? static_cast<T>(how.sampling_ratio) : std::ceil(part);
    if (!(samples > T{0}) || !std::isfinite(samples) || !std::isfinite(start)) samples = T{0};
  }

  /// Calls `take(sample)` for a bin's samples near the image; returns whether others are left out.
  template <typename Take>
  bool for_each(std::int64_t index, Take&& take) const {
    const T base = start + static_cast<T>(index) * part;
    const T step = part / std::max(samples, T{1});
    T first = T{0};
    T last = samples;
    if (step > T{0}) {
      first = std::max(first, std::floor((T{-1} - base) / step) - T{2});
      last = std::min(last, std::ceil((static_cast<T>(size) - base) / step) + T{2});
    }
    bool misses = first > T{0} || last < samples;
    const auto count = last > first ? static_cast<std::int64_t>(last - first) : 0;
    constexpr std::int64_t samples_a_poll = 4096;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % samples_a_poll == 0) workers.poll();
      T place = base + (first + static_cast<T>(i) + T{0.5}) * part / samples;
      if (!(place >= T{-1} && place <= static_cast<T>(size)) || size == 0) {
        misses = true;
        continue;
      }
      place = std::max(place, T{0});
      AxisSample<T> sample;
      sample.low = std::min(static_cast<std::int64_t>(place), size - 1);
      sample.high = std::min(sample.low + 1, size - 1);
      sample.high_weight = sample.low == size - 1 ? T{0} : place - static_cast<T>(sample.low);
      sample.low_weight = T{1} - sample.high_weight;
      take(sample);
    }
    return misses;
  }
};

/// Sample weights of a bin along one axis, per pixel from `first` to `last`.
template <typename T>
struct PixelWeights {
  T* weight;
  std::int64_t first;
  std::int64_t last;

  void collect(const RegionAxis<T>& axis, std::int64_t part) {
    std::fill(weight, weight + axis.size, T{0});
    first = axis.size;
    last = -1;
    axis.for_each(part, [&](const AxisSample<T>& sample) {
      weight[sample.low] += sample.low_weight;
      weight[sample.high] += sample.high_weight;
      first = std::min(first, sample.low);
      last = std::max(last, sample.high);
    });
  }
};

/// The scratch of one region: column weights of a row of bins, and row weights of one bin.
template <typename T>
struct RegionSpace {
  PixelWeights<T>* columns;
  T* column_weights;
  T* row_weights;

  static std::int64_t bytes(const RegionPoolSizes& sizes) {
    const std::int64_t numbers = sizes.out[1] * sizes.in[1] + sizes.in[0];
    const std::int64_t all = sizes.out[1] * static_cast<std::int64_t>(sizeof(PixelWeights<T>)) +
                             numbers * static_cast<std::int64_t>(sizeof(T));
    return (all + 63) / 64 * 64;
  }
  RegionSpace(const RegionPoolSizes& sizes, std::byte* space)
      : columns(reinterpret_cast<PixelWeights<T>*>(space)),
        column_weights(reinterpret_cast<T*>(columns + sizes.out[1])),
        row_weights(column_weights + sizes.out[1] * sizes.in[1]) {}
};

template <typename T>
void average_region(const RegionPoolSizes& sizes, const RegionAxis<T> (&axes)[2], const T* image,
                    const RegionSpace<T>& space, T* out) {
  const T count = std::max(axes[0].samples * axes[1].samples, T{1});
  const std::int64_t plane = sizes.in[0] * sizes.in[1];
  for (std::int64_t w = 0; w < sizes.out[1]; ++w) {
    space.columns[w] = {space.column_weights + w * sizes.in[1], 0, -1};
    space.columns[w].collect(axes[1], w);
  }
  PixelWeights<T> rows = {space.row_weights, 0, -1};
  for (std::int64_t h = 0; h < sizes.out[0]; ++h) {
    rows.collect(axes[0], h);
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      T* to = out + (c * sizes.out[0] + h) * sizes.out[1];
      for (std::int64_t w = 0; w < sizes.out[1]; ++w) {
        const PixelWeights<T>& columns = space.columns[w];
        T sum = T{0};
        axes[0].workers.poll();
        for (std::int64_t row = rows.first; row <= rows.last; ++row) {
          if (rows.weight[row] == T{0}) continue;
          const T* from = image + c * plane + row * sizes.in[1];
          T along = T{0};
          for (std::int64_t column = columns.first; column <= columns.last; ++column) {
            if (columns.weight[column] != T{0}) along += columns.weight[column] * from[column];
          }
          sum += rows.weight[row] * along;
        }
        to[w] = sum / count;
      }
    }
  }
}

template <typename T>
void maximum_region(const RegionPoolSizes& sizes, const RegionAxis<T> (&axes)[2], const T* image,
                    T* out) {
  const std::int64_t plane = sizes.in[0] * sizes.in[1];
  const std::int64_t parts = sizes.out[0] * sizes.out[1];
  const auto larger = [](T a, T b) { return a > b || a != a ? a : b; };
  for (std::int64_t part = 0; part < parts; ++part) {
    T* best = out + part;
    bool is_first = true;
    bool misses = false;
    const auto take = [&](const AxisSample<T>& row, const AxisSample<T>& column) {
      for (std::int64_t c = 0; c < sizes.channels; ++c) {
        const T* low = image + c * plane + row.low * sizes.in[1];
        const T* high = image + c * plane + row.high * sizes.in[1];
        const T above = larger(row.low_weight * column.low_weight * low[column.low],
                               row.low_weight * column.high_weight * low[column.high]);
        const T below = larger(row.high_weight * column.low_weight * high[column.low],
                               row.high_weight * column.high_weight * high[column.high]);
        const T value = larger(above, below);
        best[c * parts] = is_first ? value : larger(value, best[c * parts]);
      }
      is_first = false;
    };
    misses = axes[0].for_each(part / sizes.out[1], [&](const AxisSample<T>& row) {
      misses = axes[1].for_each(part % sizes.out[1], [&](const AxisSample<T>& column) {
        take(row, column);
      }) || misses;
    }) || misses;
    // Samples far outside the image count as 0, and so does a bin without samples.
    for (std::int64_t c = 0; c < sizes.channels && (misses || is_first); ++c)
      best[c * parts] = is_first ? T{0} : larger(best[c * parts], T{0});
  }
}

}  // namespace

template <typename T>
void roi_align(const RegionPoolSizes& sizes, const RegionAlignment& alignment, const T* x,
               const T* regions, const std::int64_t* images, T* y, void* workspace, int threads,
               Workers& workers) {
  const T scale = static_cast<T>(sizes.spatial_scale);
  WorkspaceSlots slots(workspace, RegionSpace<T>::bytes(sizes), threads);
  workers.parallel_for(sizes.regions, [&](std::int64_t index) {
    const T* region = regions + index * 4;
    const RegionAxis<T> axes[2] = {
        {region[1], region[3], sizes.in[0], sizes.out[0], alignment, scale, workers},
        {region[0], region[2], sizes.in[1], sizes.out[1], alignment, scale, workers}};
    const T* image = x + images[index] * sizes.channels * sizes.in[0] * sizes.in[1];
    T* out = y + index * sizes.channels * sizes.out[0] * sizes.out[1];
    if (alignment.takes_maximum) {
      maximum_region(sizes, axes, image, out);
    } else {
      const WorkspaceSlots::Lease lease(slots);
      average_region(sizes, axes, image, RegionSpace<T>(sizes, lease.data()), out);
    }
  });
}

template <typename T>
std::int64_t roi_align_workspace_bytes(const RegionPoolSizes& sizes, int threads) {
  return RegionSpace<T>::bytes(sizes) * threads;
}

#define ORTOOL_ROI_ALIGN(T)                                                                   \
  template std::int64_t roi_align_workspace_bytes<T>(const RegionPoolSizes&, int);            \
  template void roi_align(const RegionPoolSizes&, const RegionAlignment&, const T*, const T*, \
                          const std::int64_t*, T*, void*, int, Workers&);
ORTOOL_ROI_ALIGN(float)
ORTOOL_ROI_ALIGN(double)
#undef ORTOOL_ROI_ALIGN

}  // namespace ortool::cpu
