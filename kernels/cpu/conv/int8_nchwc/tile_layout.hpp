// Layout of AMX tiles of dense int8 NCHW16c convolutions: how pixels are copied, and where each
// step of the reduction reads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"

namespace ortool::cpu {

/// The steps of a reduction: chunks of up to 64 bytes of a copied pixel, for each tap. With
/// strides, pixels are split into parts by their coordinates modulo the stride, so that inputs of
/// adjacent outputs are adjacent in the copy. Each part has one plane per chunk.
struct TiledSteps {
  std::int64_t units;   ///< of 16 bytes, per pixel
  std::int64_t chunks;  ///< per pixel
  std::int64_t pixel_bytes;
  std::int64_t parts[2] = {1, 1};  ///< vertically, horizontally
  std::int64_t reach[2] = {0, 0};  ///< pixels by which the last window extends, in a part
  std::int64_t taps = 1;

  TiledSteps(const ConvSizes& sizes, bool from_nchw);

  std::int64_t count() const { return taps * chunks; }
  std::int64_t chunk_units() const { return pixel_bytes / int8_block; }
  std::int64_t planes() const { return parts[0] * parts[1] * chunks; }
};

/// The copied pixels of a plane, row by row; each row has the width of an output row plus the reach
/// of the last window, so every window is the first one at a fixed offset.
class TiledRows {
 public:
  TiledRows(const ConvSizes& sizes, const TiledSteps& steps)
      : columns_(sizes.out[2]),
        width_(sizes.out[2] + steps.reach[1]),
        halo_(steps.reach[0] * width_ + steps.reach[1]) {}

  std::int64_t width() const { return width_; }
  /// Position in the copy where an output pixel's window starts.
  std::int64_t copied(std::int64_t pixel) const {
    return pixel / columns_ * width_ + pixel % columns_;
  }
  /// Number of copied pixels that output pixels [first, end) read, starting at copied(first).
  std::int64_t span(std::int64_t first, std::int64_t end) const {
    return copied(end - 1) + 1 - copied(first) + halo_;
  }
  /// Upper bounds for `pixels` output pixels: their span, and the number of groups.
  std::int64_t max_span(std::int64_t pixels) const {
    return pixels + (pixels / columns_ + 2) * (width_ - columns_) + halo_;
  }
  std::int64_t max_groups(std::int64_t pixels) const {
    return max_span(pixels) / max_tiled_pixels + 1;
  }

  /// Partitions output pixels [first, end) into groups; returns their number. Group positions are
  /// relative to `origin`.
  std::int64_t cut(std::int64_t first, std::int64_t end, std::int64_t origin,
                   TiledPixels* groups) const;

 private:
  std::int64_t columns_;
  std::int64_t width_;
  std::int64_t halo_;
};

/// Byte offset from a plane's first pixel to the input of `step` for the first output pixel; planes
/// are `plane_bytes` apart.
std::int64_t tiled_step_offset(const ConvSizes& sizes, const TiledSteps& steps,
                               const TiledRows& rows, std::int64_t plane_bytes, std::int64_t step);

/// Where the weights of an output channel begin.
TieWeights tiled_weight_place(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                              std::int64_t channel);

/// Pixels to allocate per plane for a span of `span`: includes what groups read past the end, and
/// avoids cache conflicts between adjacent planes.
std::int64_t tiled_plane_pixels(std::int64_t span);

}  // namespace ortool::cpu
