// Max pooling of NCHW images.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/cpu/isa/byte_vector.hpp"
#include "kernels/cpu/pooling/pool_window.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

template <typename T>
bool beats(T value, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    return value > best || (std::isnan(value) && !std::isnan(best));
  }
  return value > best;
}

/// Bytewise maximum.
template <typename T>
ByteVector larger_bytes(ByteVector a, ByteVector b) {
  if constexpr (std::is_unsigned_v<T>) return a > b ? a : b;
  const auto x = reinterpret_cast<SignedByteVector>(a);
  const auto y = reinterpret_cast<SignedByteVector>(b);
  return reinterpret_cast<ByteVector>(x > y ? x : y);
}

template <typename T>
void max_bytes_into(const T* from, T* to, std::int64_t count) {
  constexpr std::int64_t width = 16;
  const auto take = [&](std::int64_t i) {
    store_sixteen(to + i, larger_bytes<T>(load_sixteen(from + i), load_sixteen(to + i)));
  };
  if (count >= width) {
    // The last vector may overlap the one before, which does not change the result.
    for (std::int64_t i = 0; i + width < count; i += width) take(i);
    return take(count - width);
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] > to[i] ? from[i] : to[i];
}

/// Copies every second byte of `from`; may read one byte past the last.
template <typename T>
void take_every_second(const T* from, T* to, std::int64_t count) {
  constexpr std::int64_t width = 16;
  const auto take = [&](std::int64_t i) {
    store_sixteen(to + i,
                  even_bytes(load_sixteen(from + 2 * i), load_sixteen(from + 2 * i + width)));
  };
  if (count >= width) {
    for (std::int64_t i = 0; i + width < count; i += width) take(i);
    return take(count - width);
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
}

/// The maximum under each window of a row whose columns have been reduced.
template <typename T>
void max_int8_windows(const PoolSizes& sizes, const T* buffer, std::int64_t count, T* out) {
  const std::int64_t stride = sizes.stride[2];
  if (stride == 1 || sizes.kernel[2] * 2 < stride) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = buffer[i * stride];
    for (std::int64_t k = 1; k < sizes.kernel[2]; ++k) {
      const T* from = buffer + k * sizes.dilation[2];
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = from[i * stride] > out[i] ? from[i * stride] : out[i];
    }
    return;
  }
  // Computes the maximum at every position, then selects by stride.
  T largest[row_buffer + 1];
  const std::int64_t places = (count - 1) * stride + 1;
  std::copy_n(buffer, places, largest);
  for (std::int64_t k = 1; k < sizes.kernel[2]; ++k)
    max_bytes_into(buffer + k * sizes.dilation[2], largest, places);
  if (stride == 2) return take_every_second(largest, out, count);
  for (std::int64_t i = 0; i < count; ++i) out[i] = largest[i * stride];
}

/// One window, pixel by pixel. `place` receives the pixel's offset in the plane, or 0 for none.
template <typename T>
T max_of_window(const T* plane, const PoolSizes& sizes, const WindowRange (&ranges)[3],
                std::int64_t& place, const Workers& workers) {
  T best = lowest<T>();
  place = -1;
  for (std::int64_t d = ranges[0].begin; d < ranges[0].end; ++d) {
    const std::int64_t z = ranges[0].start + d * sizes.dilation[0];
    for (std::int64_t r = ranges[1].begin; r < ranges[1].end; ++r) {
      workers.poll();
      const std::int64_t row = z * sizes.in[1] + ranges[1].start + r * sizes.dilation[1];
      for (std::int64_t c = ranges[2].begin; c < ranges[2].end; ++c) {
        const std::int64_t at = row * sizes.in[2] + ranges[2].start + c * sizes.dilation[2];
        if (place < 0 || beats(plane[at], best)) {
          best = plane[at];
          place = at;
        }
      }
    }
  }
  place = std::max<std::int64_t>(place, 0);
  return best;
}

std::int64_t to_column_major(const PoolSizes& sizes, std::int64_t place) {
  const std::int64_t column = place % sizes.in[2];
  const std::int64_t row = place / sizes.in[2] % sizes.in[1];
  const std::int64_t depth = place / sizes.in[2] / sizes.in[1];
  return (column * sizes.in[1] + row) * sizes.in[0] + depth;
}

/// Pools planes of which several windows read the same row: rows are pooled once along their
/// columns, then together. Many rows take each step before the next one, since a vector that
/// several stores have just written waits for them.
class PlaneMaxPool {
 public:
  PlaneMaxPool(const PoolSizes& sizes, const PoolFunctions& functions)
      : sizes_(sizes),
        functions_(functions),
        width_((sizes.out[2] - 1) * sizes.stride[2] + window_reach(sizes)),
        before_(std::clamp<std::int64_t>(sizes.pad_begin[2], 0, width_)),
        inside_(std::min(sizes.in[2], width_ - before_)) {}

  bool can_run() const {
    return sizes_.in[0] == 1 && sizes_.out[0] == 1 && sizes_.kernel[0] == 1 &&
           sizes_.dilation[1] == 1 &&
           sizes_.kernel[1] > std::max<std::int64_t>(3, 2 * sizes_.stride[1]) &&
           sizes_.kernel[1] <= max_rows && sizes_.pad_begin[2] >= 0 && width_ <= padded_floats &&
           sizes_.kernel[1] * sizes_.out[2] <= kept_floats;
  }
  void run(const float* x, float* y, const Workers& workers) const {
    float kept[kept_floats];
    const std::int64_t places = std::min(sizes_.in[1], kept_floats / sizes_.out[2]);
    std::int64_t made = 0;  // input rows that are pooled along their columns
    for (std::int64_t row = 0; row < sizes_.out[1]; ++row, y += sizes_.out[2]) {
      workers.poll();
      const WindowRange range = window_range(sizes_, 1, row);
      const std::int64_t begin = range.start + range.begin;
      const std::int64_t end = range.start + range.end;
      if (begin >= end) {
        std::fill_n(y, sizes_.out[2], lowest<float>());
        continue;
      }
      made = std::max(made, begin);
      const auto place = [&](std::int64_t at) { return kept + at % places * sizes_.out[2]; };
      if (made < end) {
        const std::int64_t last = std::min(sizes_.in[1], begin + places);
        for (; made < last; made += pool_columns(x, made, last, place)) {
        }
      }
      const float* rows[max_rows];
      for (std::int64_t r = begin; r < end; ++r) rows[r - begin] = place(r);
      pool_rows(rows, end - begin, y);
    }
  }

 private:
  static constexpr std::int64_t max_rows = 16;
  static constexpr std::int64_t kept_floats = 8192;
  static constexpr std::int64_t padded_floats = 4096;

  /// Pools input rows from `first` on, as many as fit with their padding; returns how many.
  template <typename Place>
  std::int64_t pool_columns(const float* x, std::int64_t first, std::int64_t last,
                            Place place) const {
    float padded[padded_floats + pool_slack];
    const std::int64_t count = std::min(last - first, padded_floats / width_);
    float* to = padded;
    for (std::int64_t row = first; row < first + count; ++row, to += width_) {
      for (std::int64_t i = 0; i < before_; ++i) to[i] = lowest<float>();
      copy_floats(x + row * sizes_.in[2], to + before_, inside_);
      for (std::int64_t i = before_ + inside_; i < width_; ++i) to[i] = lowest<float>();
    }
    for (std::int64_t i = 0; i < count; ++i) {
      functions_.max_windows(padded + i * width_, sizes_.kernel[2], sizes_.stride[2],
                             sizes_.dilation[2], sizes_.out[2], place(first + i));
    }
    return count;
  }
  void pool_rows(const float* const* rows, std::int64_t count, float* y) const {
    if (sizes_.out[2] >= functions_.lanes) {
      functions_.max_of_windows({.rows = rows,
                                 .row_count = count,
                                 .kernel = 1,
                                 .stride = 1,
                                 .dilation = 1,
                                 .count = sizes_.out[2],
                                 .out = y});
      return;
    }
    copy_floats(rows[0], y, sizes_.out[2]);
    for (std::int64_t r = 1; r < count; ++r) functions_.max_into(rows[r], y, sizes_.out[2]);
  }
  /// Without the call that so few floats are not worth.
  static void copy_floats(const float* from, float* to, std::int64_t count) {
    constexpr std::int64_t width = 4;
    if (count < width) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
      return;
    }
    for (std::int64_t i = 0; i + width < count; i += width)
      store_sixteen(to + i, load_sixteen(from + i));
    store_sixteen(to + count - width, load_sixteen(from + count - width));
  }

  const PoolSizes& sizes_;
  const PoolFunctions& functions_;
  std::int64_t width_;   ///< of a row with its padding
  std::int64_t before_;  ///< padding
  std::int64_t inside_;
};

}  // namespace

template <typename T>
void max_pool(const PoolSizes& sizes, const T* x, T* y, std::int64_t* indices, bool column_major,
              Isa isa, Workers& workers) {
  const std::int64_t plane_rows = sizes.out[0] * sizes.out[1];
  const std::int64_t pixels_in = sizes.in[0] * sizes.in[1] * sizes.in[2];
  if (plane_rows <= 0 || sizes.out[2] <= 0) return;
  const bool by_rows = indices == nullptr && window_reach(sizes) <= row_buffer;
  const PoolFunctions& functions = pool_functions(isa);
  if constexpr (std::is_same_v<T, float>) {
    const PlaneMaxPool planes(sizes, functions);
    if (by_rows && planes.can_run()) {
      const std::int64_t grain = std::max<std::int64_t>(1, pool_grain(sizes) / plane_rows);
      workers.parallel_ranges(sizes.planes, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t plane = begin; plane < end; ++plane)
          planes.run(x + plane * pixels_in, y + plane * plane_rows * sizes.out[2], workers);
      });
      return;
    }
  }
  const RowPoolKernel pooler(sizes, functions);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    RowPlace at = row_place(sizes, begin);
    for (std::int64_t index = begin; index < end; ++index, at.advance(sizes)) {
      workers.poll();
      const auto [plane, depth, row] = at;
      const T* from = x + plane * pixels_in;
      T* to = y + index * sizes.out[2];
      if constexpr (std::is_same_v<T, float>) {
        const auto larger = [](float a, float b) { return beats(b, a) ? b : a; };
        if (by_rows &&
            pooler.run(from, depth, row, lowest<float>(), functions.max_of_windows, larger, to))
          continue;
        if (by_rows) {
          pool_row(sizes, from, depth, row, lowest<float>(), functions.max_into,
                   [&](const float* buffer, std::int64_t first, std::int64_t count) {
                     functions.max_windows(buffer, sizes.kernel[2], sizes.stride[2],
                                           sizes.dilation[2], count, to + first);
                   });
          continue;
        }
      }
      if constexpr (sizeof(T) == 1) {
        if (by_rows) {
          pool_row(sizes, from, depth, row, lowest<T>(), max_bytes_into<T>,
                   [&](const T* buffer, std::int64_t first, std::int64_t count) {
                     max_int8_windows(sizes, buffer, count, to + first);
                   });
          continue;
        }
      }
      WindowRange ranges[3] = {window_range(sizes, 0, depth), window_range(sizes, 1, row), {}};
      for (std::int64_t column = 0; column < sizes.out[2]; ++column) {
        ranges[2] = window_range(sizes, 2, column);
        std::int64_t place = 0;
        to[column] = max_of_window(from, sizes, ranges, place, workers);
        if (indices == nullptr) continue;
        indices[index * sizes.out[2] + column] =
            plane * pixels_in + (column_major ? to_column_major(sizes, place) : place);
      }
    }
  };
  workers.parallel_ranges(sizes.planes * plane_rows, pool_grain(sizes), body);
}

template void max_pool(const PoolSizes&, const float*, float*, std::int64_t*, bool, Isa, Workers&);
template void max_pool(const PoolSizes&, const double*, double*, std::int64_t*, bool, Isa,
                       Workers&);
template void max_pool(const PoolSizes&, const std::int8_t*, std::int8_t*, std::int64_t*, bool, Isa,
                       Workers&);
template void max_pool(const PoolSizes&, const std::uint8_t*, std::uint8_t*, std::int64_t*, bool,
                       Isa, Workers&);

template <typename T>
void global_max_pool(std::int64_t planes, std::int64_t pixels, const T* x, T* y, Isa isa,
                     Workers& workers) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, 32 * 1024 / std::max<std::int64_t>(1, pixels));
  workers.parallel_ranges(planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const T* from = x + plane * pixels;
      if constexpr (std::is_same_v<T, float>) {
        y[plane] = pixels == 0 ? lowest<T>() : pool_functions(isa).max_of(from, pixels);
      } else {
        T best = lowest<T>();
        for (std::int64_t i = 0; i < pixels; ++i) {
          if (beats(from[i], best)) best = from[i];
        }
        y[plane] = best;
      }
    }
  });
}

template void global_max_pool(std::int64_t, std::int64_t, const float*, float*, Isa, Workers&);
template void global_max_pool(std::int64_t, std::int64_t, const double*, double*, Isa, Workers&);

}  // namespace ortool::cpu
