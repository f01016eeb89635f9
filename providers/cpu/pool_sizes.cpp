// Spatial axes are put at the end of the kernels' three.
#include "providers/cpu/pool_sizes.hpp"

#include "libcore/base/format.hpp"

namespace ortool::cpu {

PoolSizes pool_sizes(const WindowAttributes& window, const Shape& x) {
  constexpr std::size_t most_axes = 3;
  const auto spatial = x.dimensions().subspan(2);
  const std::vector<WindowAxis> axes = place_window(window, spatial, window.kernel);
  if (axes.size() > most_axes) {
    throw Error(ErrorCode::unsupported, format("a pool along {} axes is not supported (at most {})",
                                               axes.size(), most_axes));
  }
  PoolSizes sizes;
  sizes.planes = x.product(0, 2);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = most_axes - axes.size() + i;
    sizes.in[axis] = axes[i].in;
    sizes.out[axis] = axes[i].out;
    sizes.kernel[axis] = axes[i].kernel;
    sizes.stride[axis] = axes[i].stride;
    sizes.dilation[axis] = axes[i].dilation;
    sizes.pad_begin[axis] = axes[i].pad_begin;
    sizes.pad_end[axis] = axes[i].pad_end;
  }
  return sizes;
}

}  // namespace ortool::cpu
