// oneDNN requests as plain integers: equal requests are served by the same primitive.
#pragma once

#include <cstdint>

namespace ortool::onednn {

/// The layout of an image's channels.
enum class ImageFormat : std::int64_t {
  planes,  ///< plain: one channel after the other
  blocks,  ///< blocked: N, C / block, pixels, block
};

/// A convolution of one image. Blocked channels are multiples of `block`. Unused leading axes are
/// 1.
struct ConvRequest {
  std::int64_t is_transposed = 0;
  ImageFormat in_format = ImageFormat::planes;
  ImageFormat out_format = ImageFormat::planes;
  std::int64_t block = 16;
  std::int64_t has_bias = 0;
  std::int64_t groups = 1;
  std::int64_t channels_in = 0;   ///< of all groups
  std::int64_t channels_out = 0;  ///< of all groups
  std::int64_t axes = 2;          ///< spatial axes in use: the last of the three
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};  ///< leading; trailing padding follows
};

/// A product c = a * b (+ bias per column); strides in elements.
struct ProductRequest {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_row = 0;
  std::int64_t a_step = 1;
  std::int64_t b_row = 0;  ///< between steps of k; 0: b is packed
  std::int64_t b_column = 1;
  std::int64_t c_row = 0;
  std::int64_t has_bias = 0;
};

enum class PoolKind : std::int64_t { largest, mean, mean_with_padding };

/// A pool of one image with `channels` channels.
struct PoolRequest {
  PoolKind kind = PoolKind::largest;
  ImageFormat image_format = ImageFormat::planes;
  std::int64_t block = 16;
  std::int64_t channels = 0;
  std::int64_t axes = 2;
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};
};

/// A reorder of one image between plain and blocked layout. Blocks are zero-padded.
struct ReorderRequest {
  std::int64_t to_blocks = 1;
  std::int64_t block = 16;
  std::int64_t channels = 0;
  std::int64_t pixels = 0;
};

}  // namespace ortool::onednn
