// Window axes: windows of an image in parameters of kernels and of the library, which have a fixed
// number of axes.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "libcore/ops/window_rules.hpp"

namespace ortool::cuda {

/// Sets all sizes but the pads; axes that the image lacks are ones of one pixel before its own.
/// Returns the axes.
template <typename Params>
auto set_windows(Params& params, const std::vector<WindowAxis>& window) {
  constexpr std::size_t count = std::extent_v<decltype(Params::in)>;
  std::array<WindowAxis, count> axes;
  axes.fill({.in = 1, .out = 1});
  const std::size_t skipped = count - window.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= skipped) axes[i] = window[i - skipped];
    params.in[i] = axes[i].in;
    params.out[i] = axes[i].out;
    params.kernel[i] = axes[i].kernel;
    params.stride[i] = axes[i].stride;
    params.dilation[i] = axes[i].dilation;
  }
  return axes;
}

}  // namespace ortool::cuda
