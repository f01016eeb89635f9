// Pool parameters: spatial axes are right-aligned in the kernels' three axes.
#include "providers/cpu/pooling/pool_sizes.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/window_sizes.hpp"

namespace ortool::cpu {

PoolSizes pool_sizes(const WindowAttributes& window, const Shape& x) {
  constexpr std::size_t max_axes = 3;
  const auto spatial = x.dimensions().subspan(2);
  const std::vector<WindowAxis> axes =
      place_window(window, spatial, window.kernel, WindowFit::beyond);
  if (axes.size() > max_axes) {
    throw Error(ErrorCode::unsupported, format("a pool along {} axes is not supported (at most {})",
                                               axes.size(), max_axes));
  }
  PoolSizes sizes;
  sizes.planes = x.product(0, 2);
  put_window(axes, sizes);
  return sizes;
}

}  // namespace ortool::cpu
