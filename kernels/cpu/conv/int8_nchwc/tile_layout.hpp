// Layout of AMX tiles of dense int8 NCHW16c convolutions: which copies of pixels there are, and
// where each step of the sums reads in them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"

namespace ortool::cpu {

/// The steps of a sum: chunks of up to 64 bytes of a copied pixel, at each tap. With strides,
/// pixels of each remainder lie in a part of their own, so that neighbours in the result are
/// neighbours in the copy. Each part has a plane for each chunk.
struct TiledSteps {
  std::int64_t units;   ///< of 16 bytes, of a pixel
  std::int64_t chunks;  ///< of a pixel
  std::int64_t pixel_bytes;
  std::int64_t parts[2] = {1, 1};  ///< down, across
  std::int64_t reach[2] = {0, 0};  ///< pixels that the last window reads beyond, in a part
  std::int64_t taps = 1;

  TiledSteps(const ConvSizes& sizes, bool from_nchw);

  std::int64_t count() const { return taps * chunks; }
  std::int64_t chunk_units() const { return pixel_bytes / byte_block; }
  std::int64_t planes() const { return parts[0] * parts[1] * chunks; }
};

/// Copied pixels of a plane lie row by row, each as long as a row of the result and what the last
/// window reads beyond; so every window is the first one some pixels on.
class TiledRows {
 public:
  TiledRows(const ConvSizes& sizes, const TiledSteps& steps)
      : columns_(sizes.out[2]),
        width_(sizes.out[2] + steps.reach[1]),
        halo_(steps.reach[0] * width_ + steps.reach[1]) {}

  std::int64_t width() const { return width_; }
  /// Where a pixel of the result begins to read.
  std::int64_t copied(std::int64_t pixel) const {
    return pixel / columns_ * width_ + pixel % columns_;
  }
  /// Copied pixels that pixels [first, end) of the result read, from copied(first) on.
  std::int64_t span(std::int64_t first, std::int64_t end) const {
    return copied(end - 1) + 1 - copied(first) + halo_;
  }
  /// The most that `pixels` of the result may span, and groups that they may be cut into.
  std::int64_t most_span(std::int64_t pixels) const {
    return pixels + (pixels / columns_ + 2) * (width_ - columns_) + halo_;
  }
  std::int64_t most_groups(std::int64_t pixels) const {
    return most_span(pixels) / most_tiled_pixels + 1;
  }

  /// Cuts pixels [first, end) of the result into groups; returns how many. Groups start behind
  /// `origin`.
  std::int64_t cut(std::int64_t first, std::int64_t end, std::int64_t origin,
                   TiledPixels* groups) const;

 private:
  std::int64_t columns_;
  std::int64_t width_;
  std::int64_t halo_;
};

/// Bytes from a plane's first pixel to what `step` reads for the first pixel of the result; planes
/// are `plane_bytes` apart.
std::int64_t tiled_step_offset(const ConvSizes& sizes, const TiledSteps& steps,
                               const TiledRows& rows, std::int64_t plane_bytes, std::int64_t step);

/// Pixels of a plane for `span` of them: what groups read beyond is there, and neighbouring planes
/// do not share places in the caches.
std::int64_t tiled_plane_pixels(std::int64_t span);

}  // namespace ortool::cpu
