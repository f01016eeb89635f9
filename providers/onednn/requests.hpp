// What oneDNN is asked for, in plain numbers: equal requests are served by the same primitive.
#pragma once

#include <cstdint>

namespace ortool::onednn {

/// How the channels of an image lie.
enum class ImageForm : std::int64_t {
  planes,  ///< one channel behind the other
  blocks,  ///< some channels of a pixel side by side: N, C / block, pixels, block
};

/// A convolution of one image. Channels in blocks are multiples of `block`. Axes that an image with
/// fewer than three has not are 1 (in front).
struct ConvRequest {
  std::int64_t is_transposed = 0;
  ImageForm in_form = ImageForm::planes;
  ImageForm out_form = ImageForm::planes;
  std::int64_t block = 16;
  std::int64_t has_bias = 0;
  std::int64_t groups = 1;
  std::int64_t channels_in = 0;   ///< of all groups
  std::int64_t channels_out = 0;  ///< of all groups
  std::int64_t axes = 2;          ///< that count, the last of the three
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};  ///< before the image; behind follows
};

/// A product c = a * b (+ bias a column); strides in elements.
struct ProductRequest {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_row = 0;
  std::int64_t a_step = 1;
  std::int64_t b_row = 0;  ///< from one step of k to the next; 0: b is packed
  std::int64_t b_column = 1;
  std::int64_t c_row = 0;
  std::int64_t has_bias = 0;
};

enum class PoolKind : std::int64_t { largest, mean, mean_with_padding };

/// A pool of one image of `channels`.
struct PoolRequest {
  PoolKind kind = PoolKind::largest;
  ImageForm form = ImageForm::planes;
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

/// One image brought from planes to blocks, or back. Blocks are filled up with zeros.
struct ReorderRequest {
  std::int64_t to_blocks = 1;
  std::int64_t block = 16;
  std::int64_t channels = 0;
  std::int64_t pixels = 0;
};

}  // namespace ortool::onednn
