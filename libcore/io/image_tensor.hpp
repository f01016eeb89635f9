// Pictures as a model's input: resized, cropped, scaled and laid out as asked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/io/image.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// What `resize:256,crop:224,layout:nchw,order:rgb,scale:1/255,mean:a/b/c,std:a/b/c` says. Each
/// value is (sample * scale - mean) / std.
struct ImageOptions {
  enum class Layout { automatic, nchw, nhwc };
  enum class Order { automatic, rgb, bgr, gray };

  std::int64_t resize_shorter_side = 0;  ///< 0: not by the shorter side
  std::int64_t resize_width = 0;         ///< 0: no exact size
  std::int64_t resize_height = 0;
  std::int64_t crop_width = 0;  ///< 0: no cropping
  std::int64_t crop_height = 0;
  Layout layout = Layout::automatic;
  Order order = Order::automatic;
  double scale = 1;
  std::vector<double> mean;  ///< none, one, or one a channel
  std::vector<double> std;
};

/// Sets one option. Throws ErrorCode::invalid for an unknown key (with the nearest) or a value that
/// the key cannot have.
void set_image_option(ImageOptions& options, std::string_view key, std::string_view value);

/// Reads "key:value,key:value". Throws as set_image_option, and for a key given twice.
ImageOptions parse_image_options(std::string_view text);

/// The picture for an input of element type `type` and dimensions `dimensions`, where -1 is not
/// known; empty for an unknown rank (then layout must be given). Without `options` it is resized to
/// the input's size, its channels converted, and its samples fed as 0 to 255. Throws
/// ErrorCode::invalid saying what the input expects where a picture cannot be made to fit.
Tensor image_to_tensor(const Image& image, const std::optional<ImageOptions>& options,
                       DataType type, std::span<const std::int64_t> dimensions,
                       MemoryCap* cap = nullptr);

}  // namespace ortool
