// Copies placed windows into a kernel's size struct, aligned to the last of its three spatial axes.
#pragma once

#include <span>

#include "libcore/ops/window_rules.hpp"

namespace ortool {

/// Sets image, kernel, stride, dilation and padding of the used axes, at most three; the leading
/// axes stay unchanged. `Sizes` has either only the leading padding, as `pad`, or both ends.
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
