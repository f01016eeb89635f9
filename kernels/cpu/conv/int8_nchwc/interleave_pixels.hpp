// Pixel interleaving for int8: NCHW images of few channels are copied so that the channels of a
// pixel are adjacent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"

namespace ortool::cpu {

constexpr std::int64_t whole_lines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// A padded copy of an NCHW image with up to four channels: four bytes per pixel, or as many as
/// channels.
struct PixelCopy {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t bytes = 0;
  std::int64_t pixel_bytes = 4;

  explicit PixelCopy(const ConvSizes& sizes, std::int64_t bytes_a_pixel = 4)
      : pixel_bytes(bytes_a_pixel) {
    const auto reach = [&](int axis) {
      return (sizes.out[axis] - 1) * sizes.stride[axis] +
             (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
    };
    rows = reach(1);
    columns = reach(2);
    bytes = whole_lines(rows * columns * pixel_bytes + nchwc_int8_slack);
  }

  void fill_row(const NchwcInt8Conv& conv, std::int64_t image, std::int64_t row,
                std::uint8_t* out) const {
    const ConvSizes& sizes = conv.sizes;
    std::uint8_t* to = out + row * columns * pixel_bytes;
    std::memset(to, conv.params.image_zero, static_cast<std::size_t>(columns * pixel_bytes));
    const std::int64_t from_row = row - sizes.pad[1];
    if (from_row < 0 || from_row >= sizes.in[1]) return;
    const std::int64_t begin = std::min(sizes.pad[2], columns);
    const std::int64_t count = std::min(sizes.in[2], columns - begin);
    const std::uint8_t flip = conv.desc.image_flip;
    if (pixel_bytes == 1) {
      const std::uint8_t* plane = conv.x + (image * sizes.in[1] + from_row) * sizes.in[2];
      return copy_flipped(plane, count, flip, to + begin);
    }
    // Channels past the last have zero weights.
    const std::uint8_t* planes[4];
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t channel = std::min(i, sizes.channels_in - 1);
      planes[i] =
          conv.x + ((image * sizes.channels_in + channel) * sizes.in[1] + from_row) * sizes.in[2];
    }
    if (pixel_bytes == 4) return interleave(planes, count, flip, to + begin * 4);
    constexpr std::int64_t most = 512;
    std::uint8_t fours[4 * most];
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t pixels = std::min(most, count - first);
      interleave(planes, pixels, flip, fours);
      narrow(fours, pixels, pixel_bytes, to + (begin + first) * pixel_bytes);
      for (const std::uint8_t*& plane : planes) plane += pixels;
    }
  }

 private:
  /// Keeps the first two or three bytes of every four.
  static void narrow(const std::uint8_t* from, std::int64_t count, std::int64_t bytes,
                     std::uint8_t* to) {
    std::int64_t i = 0;
    if (bytes == 3) {
      // Two pixels at a time; the two bytes too many are overwritten.
      for (; i + 3 <= count; i += 2) {
        std::uint64_t two = 0;
        std::memcpy(&two, from + 4 * i, sizeof two);
        two = (two & 0xFFFFFFU) | (two >> 8U & 0xFFFFFF000000U);
        std::memcpy(to + 3 * i, &two, sizeof two);
      }
    }
    for (; i < count; ++i) {
      for (std::int64_t byte = 0; byte < bytes; ++byte) to[bytes * i + byte] = from[4 * i + byte];
    }
  }
  /// Interleaves the planes byte by byte.
  static void interleave(const std::uint8_t* const (&planes)[4], std::int64_t count,
                         std::uint8_t flip, std::uint8_t* __restrict to) {
    const std::uint8_t* __restrict a = planes[0];
    const std::uint8_t* __restrict b = planes[1];
    const std::uint8_t* __restrict c = planes[2];
    const std::uint8_t* __restrict d = planes[3];
    for (std::int64_t i = 0; i < count; ++i) {
      to[4 * i] = static_cast<std::uint8_t>(a[i] ^ flip);
      to[4 * i + 1] = static_cast<std::uint8_t>(b[i] ^ flip);
      to[4 * i + 2] = static_cast<std::uint8_t>(c[i] ^ flip);
      to[4 * i + 3] = static_cast<std::uint8_t>(d[i] ^ flip);
    }
  }
};

}  // namespace ortool::cpu
