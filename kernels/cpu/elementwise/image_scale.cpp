// ImageScaler and GRUUnit: plain loops over planes and rows.
#include "kernels/cpu/elementwise/image_scale.hpp"

#include <algorithm>

#include "kernels/cpu/elementwise/unary.hpp"

namespace ortool::cpu {

template <typename T>
void scale_image(const T* in, T* out, std::int64_t images, std::int64_t channels,
                 std::int64_t pixels, float scale, const float* bias, Workers& workers) {
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, pixels));
  const T factor = static_cast<T>(scale);
  workers.parallel_ranges(images * channels, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const T added = bias == nullptr ? T{0} : static_cast<T>(bias[plane % channels]);
      const T* from = in + plane * pixels;
      T* to = out + plane * pixels;
      for (std::int64_t i = 0; i < pixels; ++i) to[i] = factor * from[i] + added;
    }
  });
}

template <typename T>
void gru_unit(const T* hidden, const T* gates, const T* lengths, T step, bool drops, T* out,
              std::int64_t rows, std::int64_t size, Isa isa, Workers& workers) {
  const std::int64_t grain = std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, size));
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t block = 256;
    T update[block];
    T next[block];
    Workers alone;
    for (std::int64_t row = begin; row < end; ++row) {
      const T* old = hidden + row * size;
      T* to = out + row * size;
      if (!(step < lengths[row])) {
        for (std::int64_t i = 0; i < size; ++i) to[i] = drops ? T{0} : old[i];
        continue;
      }
      for (std::int64_t first = 0; first < size; first += block) {
        const std::int64_t count = std::min(block, size - first);
        const T* from = gates + row * 3 * size + first;
        unary(UnaryOp::sigmoid, {}, from + size, update, count, alone, isa);
        unary(UnaryOp::tanh, {}, from + 2 * size, next, count, alone, isa);
        for (std::int64_t i = 0; i < count; ++i)
          to[first + i] = update[i] * old[first + i] + (T{1} - update[i]) * next[i];
      }
    }
  });
}

#define ORTOOL_EXPERIMENTAL(T)                                                                  \
  template void scale_image(const T*, T*, std::int64_t, std::int64_t, std::int64_t, float,      \
                            const float*, Workers&);                                            \
  template void gru_unit(const T*, const T*, const T*, T, bool, T*, std::int64_t, std::int64_t, \
                         Isa, Workers&);
ORTOOL_EXPERIMENTAL(float)
ORTOOL_EXPERIMENTAL(double)
#undef ORTOOL_EXPERIMENTAL

}  // namespace ortool::cpu
