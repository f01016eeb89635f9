// Kernels on operands of int8 products: rows of signed bytes and their sums, windows of images as
// rows, and a product where the library has none.
#pragma once

#include "providers/cuda/kernels/byte_numbers.hpp"

namespace ortool::cuda {

ORTOOL_DEVICE void pack_bytes(const Block& block, const PackBytesParams& params) {
  const int64_t row_words = params.padded_size / 4;
  const int64_t count = params.matrices * params.padded_rows * row_words;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t row = i / row_words % params.padded_rows;
      const int64_t matrix = i / row_words / params.padded_rows;
      const int64_t start = matrix * params.matrix_stride + row * params.row_stride;
      for (int64_t place = 0; place < 4; ++place) {
        const int64_t column = i % row_words * 4 + place;
        const bool is_inside = row < params.rows && column < params.size;
        params.to[i * 4 + place] =
            is_inside ? static_cast<uint8_t>(params.from[start + column * params.element_stride] ^
                                             params.flip)
                      : uint8_t{0};
      }
    }
  }
}

constexpr int sum_threads = 64;

ORTOOL_DEVICE void sum_bytes(const Block& block, const SumBytesParams& params) {
  ORTOOL_SHARED(int32_t, partial, sum_threads);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const auto* words = reinterpret_cast<const uint32_t*>(params.from + row * params.size);
    ORTOOL_THREADS(block, thread) {
      int32_t sum = 0;
      for (int64_t i = thread; i < params.size / 4; i += sum_threads)
        sum = add_dot(words[i], 0x01010101U, sum);
      partial[thread] = sum;
    }
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) {
        int32_t sum = 0;
        for (int i = 0; i < sum_threads; ++i) sum += partial[i];
        params.to[row] = sum;
      }
    }
  }
}

ORTOOL_DEVICE void multiply_bytes(const Block& block, const MultiplyBytesParams& params) {
  const int64_t count = params.matrices * params.m * params.n;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t column = i % params.n;
      const int64_t row = i / params.n;
      const auto* a = reinterpret_cast<const uint32_t*>(
          params.a + row / params.m * params.a_stride + row % params.m * params.k);
      const auto* b = reinterpret_cast<const uint32_t*>(
          params.b + row / params.m * params.b_stride + column * params.k);
      int32_t sum = 0;
      for (int64_t k = 0; k < params.k / 4; ++k) sum = add_dot(a[k], b[k], sum);
      params.out[i] = sum;
    }
  }
}

/// Where a window begins in its image, from the number of a pixel of the result.
struct WindowPlace {
  int64_t image;  ///< its first pixel
  int64_t top;
  int64_t left;
};
ORTOOL_DEVICE WindowPlace place_of_window(const ByteWindows& windows, int64_t pixel) {
  const int64_t x = pixel % windows.out[1];
  const int64_t y = pixel / windows.out[1] % windows.out[0];
  const int64_t image = pixel / windows.out[1] / windows.out[0];
  return {image * windows.in[0] * windows.in[1], y * windows.stride[0] - windows.pad[0],
          x * windows.stride[1] - windows.pad[1]};
}
/// The pixel of a tap; -1: outside.
ORTOOL_DEVICE int64_t pixel_of_tap(const ByteWindows& windows, const WindowPlace& place,
                                   int64_t tap) {
  const int64_t y = place.top + tap / windows.kernel[1] * windows.dilation[0];
  const int64_t x = place.left + tap % windows.kernel[1] * windows.dilation[1];
  if (y < 0 || y >= windows.in[0] || x < 0 || x >= windows.in[1]) return -1;
  return place.image + y * windows.in[1] + x;
}

ORTOOL_DEVICE void window_rows(const Block& block, const WindowRowsParams& params) {
  const ByteWindows& windows = params.windows;
  const int64_t row_words = params.padded_size / 4;
  const int64_t size = windows.kernel[0] * windows.kernel[1] * windows.channels;
  const auto flip = static_cast<uint32_t>(flip_of(windows.image_zero.type));
  const uint32_t outside = unsigned_of(zero_point_at(windows.image_zero, 0)) ^ flip;
  const bool has_words = windows.channels % 4 == 0;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.rows * row_words;
         i += block.blocks() * block.threads()) {
      const WindowPlace place = place_of_window(windows, params.first + i / row_words);
      const int64_t first = i % row_words * 4;
      uint32_t word = 0;
      if (has_words && first < size) {
        const int64_t pixel = pixel_of_tap(windows, place, first / windows.channels);
        word = pixel < 0
                   ? outside % 256U * 0x01010101U
                   : *reinterpret_cast<const uint32_t*>(windows.images + pixel * windows.channels +
                                                        first % windows.channels) ^
                         flip_of_word(windows.image_zero.type);
      } else {
        for (int64_t j = 0; j < 4 && first + j < size; ++j) {
          const int64_t pixel = pixel_of_tap(windows, place, (first + j) / windows.channels);
          const uint32_t byte =
              pixel < 0
                  ? outside
                  : windows.images[pixel * windows.channels + (first + j) % windows.channels] ^
                        flip;
          word |= byte % 256U << static_cast<uint32_t>(8 * j);
        }
      }
      reinterpret_cast<uint32_t*>(params.to)[i] = word;
    }
  }
}

}  // namespace ortool::cuda
