// LpPool and MaxUnpool: window norms pixel by pixel, and values scattered back to their indices.
#include "kernels/cpu/pooling/lp_pool.hpp"

#include <cmath>
#include <cstring>

#include "kernels/cpu/pooling/pool_window.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// x|^p and its inverse, with special cases for the common orders.
struct NormPower {
  double p;

  double raised(double x) const {
    if (p == 2.0) return x * x;
    return p == 1.0 ? std::abs(x) : std::pow(std::abs(x), p);
  }
  double root(double sum) const {
    if (p == 2.0) return std::sqrt(sum);
    return p == 1.0 ? sum : std::pow(sum, 1.0 / p);
  }
};

template <typename T>
double window_norm(const PoolSizes& sizes, const NormPower& power, const T* plane,
                   const WindowRange (&range)[3], const Workers& workers) {
  double sum = 0;
  for (std::int64_t d = range[0].begin; d < range[0].end; ++d) {
    for (std::int64_t h = range[1].begin; h < range[1].end; ++h) {
      workers.poll();
      const std::int64_t z = range[0].start + d * sizes.dilation[0];
      const std::int64_t y = range[1].start + h * sizes.dilation[1];
      const T* row = plane + (z * sizes.in[1] + y) * sizes.in[2];
      for (std::int64_t w = range[2].begin; w < range[2].end; ++w)
        sum += power.raised(static_cast<double>(row[range[2].start + w * sizes.dilation[2]]));
    }
  }
  return power.root(sum);
}

template <typename Element>
bool unpool(std::int64_t count, const Element* x, const std::int64_t* indices,
            std::span<const std::int64_t> unpooled, std::span<const std::int64_t> out, Element* y,
            Workers& workers) {
  std::int64_t places = 1;
  std::int64_t results = 1;
  bool is_same = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    places *= unpooled[i];
    results *= out[i];
    is_same = is_same && unpooled[i] == out[i];
  }
  workers.parallel_ranges(results, 65536, [&](std::int64_t begin, std::int64_t end) {
    std::fill(y + begin, y + end, Element{0});
  });
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = indices[i];
    if (place < 0 || place >= places) return false;
    if (!is_same) {
      std::int64_t rest = place;
      std::int64_t stride = 1;
      place = 0;
      for (std::size_t axis = out.size(); axis-- > 0;) {
        const std::int64_t here = rest % unpooled[axis];
        if (here >= out[axis]) return false;
        place += here * stride;
        rest /= unpooled[axis];
        stride *= out[axis];
      }
    }
    y[place] = x[i];
  }
  return true;
}

}  // namespace

template <typename T>
void lp_pool(const PoolSizes& sizes, double p, const T* x, T* y, Workers& workers) {
  const NormPower power = {p};
  const std::int64_t plane = sizes.in[0] * sizes.in[1] * sizes.in[2];
  const std::int64_t rows = sizes.out[0] * sizes.out[1];
  workers.parallel_ranges(
      sizes.planes * rows, pool_grain(sizes), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          WindowRange range[3];
          range[0] = window_range(sizes, 0, row % rows / sizes.out[1]);
          range[1] = window_range(sizes, 1, row % sizes.out[1]);
          for (std::int64_t w = 0; w < sizes.out[2]; ++w) {
            range[2] = window_range(sizes, 2, w);
            y[row * sizes.out[2] + w] =
                static_cast<T>(window_norm(sizes, power, x + row / rows * plane, range, workers));
          }
        }
      });
}

template <typename T>
void global_lp_pool(std::int64_t planes, std::int64_t pixels, double p, const T* x, T* y,
                    Workers& workers) {
  const NormPower power = {p};
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, pixels));
  workers.parallel_ranges(planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      double sum = 0;
      for (std::int64_t i = 0; i < pixels; ++i)
        sum += power.raised(static_cast<double>(x[plane * pixels + i]));
      y[plane] = static_cast<T>(power.root(sum));
    }
  });
}

bool max_unpool(std::int64_t count, const void* x, const std::int64_t* indices,
                std::span<const std::int64_t> unpooled, std::span<const std::int64_t> out,
                std::int64_t element_bytes, void* y, Workers& workers) {
  const auto run = [&](auto element) {
    using Element = decltype(element);
    return unpool(count, static_cast<const Element*>(x), indices, unpooled, out,
                  static_cast<Element*>(y), workers);
  };
  if (element_bytes == 2) return run(std::uint16_t{});
  if (element_bytes == 4) return run(std::uint32_t{});
  ORTOOL_CHECK(element_bytes == 8);
  return run(std::uint64_t{});
}

template void lp_pool(const PoolSizes&, double, const float*, float*, Workers&);
template void lp_pool(const PoolSizes&, double, const double*, double*, Workers&);
template void global_lp_pool(std::int64_t, std::int64_t, double, const float*, float*, Workers&);
template void global_lp_pool(std::int64_t, std::int64_t, double, const double*, double*, Workers&);

}  // namespace ortool::cpu
