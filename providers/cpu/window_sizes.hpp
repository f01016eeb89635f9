// Placed windows in the sizes of a kernel: spatial axes are put at the end of the kernel's three.
#pragma once

#include <span>

#include "libcore/ops/window_rules.hpp"

namespace ortool::cpu {

/// Sets image, kernel, stride, dilation and padding of the used axes; the leading ones stay as they
/// are. At most three axes.
template <typename Sizes>
void put_window(std::span<const WindowAxis> window, Sizes& sizes) {
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::size_t axis = std::size(sizes.in) - window.size() + i;
    sizes.in[axis] = window[i].in;
    sizes.out[axis] = window[i].out;
    sizes.kernel[axis] = window[i].kernel;
    sizes.stride[axis] = window[i].stride;
    sizes.dilation[axis] = window[i].dilation;
    sizes.pad[axis] = window[i].pad_begin;
  }
}

}  // namespace ortool::cpu
