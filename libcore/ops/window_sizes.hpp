// Placed windows in the sizes of a kernel: spatial axes are put at the end of the kernel's three.
#pragma once

#include <span>

#include "libcore/ops/window_rules.hpp"

namespace ortool {

/// Sets image, kernel, stride, dilation and padding of the used axes; the leading ones stay as they
/// are. At most three axes. `Sizes` has the padding at the begin as `pad`, or both ends.
template <typename Sizes>
void put_window(std::span<const WindowAxis> window, Sizes& sizes) {
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::size_t axis = std::size(sizes.in) - window.size() + i;
    sizes.in[axis] = window[i].in;
    sizes.out[axis] = window[i].out;
    sizes.kernel[axis] = window[i].kernel;
    sizes.stride[axis] = window[i].stride;
    sizes.dilation[axis] = window[i].dilation;
    if constexpr (requires { sizes.pad; }) {
      sizes.pad[axis] = window[i].pad_begin;
    } else {
      sizes.pad_begin[axis] = window[i].pad_begin;
      sizes.pad_end[axis] = window[i].pad_end;
    }
  }
}

}  // namespace ortool
