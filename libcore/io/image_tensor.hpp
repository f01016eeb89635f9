// Image preprocessing: images as model inputs, resized, cropped, scaled and in the requested
// layout.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/io/image.hpp"
#include "libcore/io/resize_image.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Options such as `resize:256,crop:224,layout:nchw,order:rgb,scale:1/255,mean:a/b/c,std:a/b/c`.
/// Each value is (sample * scale - mean) / std. The input's size is `size` where the input leaves
/// it open.
struct ImageOptions {
  enum class Layout { automatic, nchw, nhwc };
  enum class Order { automatic, rgb, bgr, gray };

  std::int64_t resize_shorter_side = 0;  ///< 0: no resizing by the shorter side
  std::int64_t resize_width = 0;         ///< 0: no resizing to an exact size
  std::int64_t resize_height = 0;
  std::int64_t crop_width = 0;  ///< 0: no cropping
  std::int64_t crop_height = 0;
  /// The share of the resized image that a center crop of the input's size keeps (timm's crop_pct);
  /// 0: none.
  double crop_share = 0;
  /// Resizing keeps the aspect ratio, and the rest of the input is filled with this sample.
  std::optional<std::uint8_t> letterbox;
  ResizeFilter filter = ResizeFilter::bilinear;
  std::int64_t open_width = 0;  ///< size of an input that leaves it open; 0: that of the image
  std::int64_t open_height = 0;
  Layout layout = Layout::automatic;
  Order order = Order::automatic;
  double scale = 1;
  std::vector<double> mean;  ///< none, one, or one for each channel
  std::vector<double> std;
};

/// Whether it is the key of an option, such as "mean".
bool is_image_key(std::string_view word);

/// Sets one option. Throws ErrorCode::invalid for an unknown key (with the closest one) or an
/// invalid value.
void set_image_option(ImageOptions& options, std::string_view key, std::string_view value);

/// Parses "key:value,key:value" or "PRESET,key:value"; keys replace what the preset sets. Throws
/// like set_image_option, and for repeated keys and keys that exclude each other.
ImageOptions parse_image_options(std::string_view text);
/// Same on top of the options of `base`, in place of a preset.
ImageOptions parse_image_options(std::string_view text, const ImageOptions& base);

/// Converts the image for an input of element type `type` and dimensions `dimensions`, where -1 is
/// unknown and an empty list means unknown rank (the layout must then be given). Without `options`,
/// the image is resized to the input's size, its channels are converted, and samples are passed as
/// 0 to 255. Throws ErrorCode::invalid, stating what the input expects, when the image cannot be
/// converted.
Tensor image_to_tensor(const Image& image, const std::optional<ImageOptions>& options,
                       DataType type, std::span<const std::int64_t> dimensions,
                       MemoryCap* cap = nullptr);

}  // namespace ortool
