// CropAndResize: sample positions are computed row by row, and shared by all channels.
#include "kernels/cpu/image/crop_and_resize.hpp"

#include <cmath>

namespace ortool::cpu {
namespace {

/// Where sample `index` of `count` between two relative positions lies on an axis of `size` pixels.
template <typename T>
T crop_position(T begin, T end, std::int64_t index, std::int64_t count, std::int64_t size) {
  const T last = static_cast<T>(size - 1);
  if (count == 1) return static_cast<T>(0.5) * (begin + end) * last;
  if (index == count - 1) return end * last;
  const T step = (end - begin) * last / static_cast<T>(count - 1);
  return begin * last + static_cast<T>(index) * step;
}

template <typename T>
struct CropSample {
  std::int64_t low = 0;
  std::int64_t high = 0;
  T weight = 0;  ///< of `high`

  CropSample(T place, bool takes_nearest) {
    low = static_cast<std::int64_t>(takes_nearest ? std::round(place) : std::floor(place));
    high = takes_nearest ? low : static_cast<std::int64_t>(std::ceil(place));
    weight = takes_nearest ? T{0} : place - static_cast<T>(low);
  }
};

template <typename T>
bool is_inside(T place, std::int64_t size) {
  return place >= T{0} && place <= static_cast<T>(size - 1);
}

}  // namespace

template <typename T>
void crop_and_resize(const CropSizes& sizes, bool takes_nearest, float outside, const T* x,
                     const T* regions, const std::int32_t* images, T* y, Workers& workers) {
  const std::int64_t plane = sizes.in[0] * sizes.in[1];
  const std::int64_t crop = sizes.out[0] * sizes.out[1];
  workers.parallel_for(sizes.regions * sizes.out[0], [&](std::int64_t task) {
    const std::int64_t region = task / sizes.out[0];
    const std::int64_t row = task % sizes.out[0];
    const T* box = regions + region * 4;
    const T* image = x + images[region] * sizes.channels * plane;
    T* out = y + region * sizes.channels * crop + row * sizes.out[1];
    const T down = crop_position(box[0], box[2], row, sizes.out[0], sizes.in[0]);
    for (std::int64_t column = 0; column < sizes.out[1]; ++column) {
      const T across = crop_position(box[1], box[3], column, sizes.out[1], sizes.in[1]);
      if (!is_inside(down, sizes.in[0]) || !is_inside(across, sizes.in[1])) {
        for (std::int64_t c = 0; c < sizes.channels; ++c)
          out[c * crop + column] = static_cast<T>(outside);
        continue;
      }
      const CropSample<T> v(down, takes_nearest);
      const CropSample<T> h(across, takes_nearest);
      for (std::int64_t c = 0; c < sizes.channels; ++c) {
        const T* upper = image + c * plane + v.low * sizes.in[1];
        const T* lower = image + c * plane + v.high * sizes.in[1];
        const T top = upper[h.low] + (upper[h.high] - upper[h.low]) * h.weight;
        const T bottom = lower[h.low] + (lower[h.high] - lower[h.low]) * h.weight;
        out[c * crop + column] = top + (bottom - top) * v.weight;
      }
    }
  });
}

template void crop_and_resize(const CropSizes&, bool, float, const float*, const float*,
                              const std::int32_t*, float*, Workers&);
template void crop_and_resize(const CropSizes&, bool, float, const double*, const double*,
                              const std::int32_t*, double*, Workers&);

}  // namespace ortool::cpu
