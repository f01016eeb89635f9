// Image preprocessing: resizes, crops, scales and transposes an image for a model input.
#include "libcore/io/image_tensor.hpp"

#include <string>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/io/fit_image.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Layout = ImageOptions::Layout;
using Order = ImageOptions::Order;

std::string describe(DataType type, std::span<const std::int64_t> dimensions) {
  std::string text;
  for (const std::int64_t dimension : dimensions) {
    text += text.empty() ? "" : " x ";
    text += dimension < 0 ? "?" : std::to_string(dimension);
  }
  return format("{}[{}]", name_of(type), text);
}

/// The positions of channel, row and column axes in the input's shape; -1 for an unknown size.
struct Target {
  Layout layout = Layout::nchw;
  std::int64_t rank = 4;
  std::int64_t channels = -1;
  std::int64_t height = -1;
  std::int64_t width = -1;
};

class Fitting {
 public:
  Fitting(DataType type, std::span<const std::int64_t> dimensions)
      : type_(type), dimensions_(dimensions) {}

  [[noreturn]] void fail(std::string_view reason, std::string_view hint) const {
    throw Error(ErrorCode::invalid,
                format("an image cannot feed the input, which expects {}: {}",
                       describe(type_, dimensions_), reason),
                std::string(hint));
  }

  void check_type() const {
    const bool fits = type_ == DataType::uint8 || type_ == DataType::float32 ||
                      type_ == DataType::float16 || type_ == DataType::bfloat16 ||
                      type_ == DataType::float64;
    if (!fits) fail("only uint8 and float inputs accept one", "give an .npy file of its type");
  }

  Target find_target(Layout wanted) const {
    Target target;
    if (dimensions_.empty()) {
      if (wanted == Layout::automatic)
        fail("its rank is unknown",
             format("set the layout, as in {} NAME=layout:nchw", setting_name("image")));
      target.layout = wanted;
      return target;
    }
    target.rank = static_cast<std::int64_t>(dimensions_.size());
    if (target.rank < 2 || target.rank > 4)
      fail("it does not have 2 to 4 dimensions", "give an .npy file of its shape");
    if (target.rank == 4 && dimensions_[0] != 1 && dimensions_[0] >= 0)
      fail(format("it takes a batch of {}", dimensions_[0]), "give an .npy file with all of them");
    const std::span<const std::int64_t> last = dimensions_.subspan(target.rank == 4 ? 1 : 0);
    if (target.rank == 2) {
      target.channels = 1;
      target.height = last[0];
      target.width = last[1];
      return target;
    }
    const auto counts_channels = [](std::int64_t size) { return size == 1 || size == 3; };
    target.layout = wanted;
    if (wanted == Layout::automatic) {
      if (counts_channels(last[0])) {
        target.layout = Layout::nchw;
      } else if (counts_channels(last[2])) {
        target.layout = Layout::nhwc;
      } else {
        fail(
            "neither its dimension before rows and columns nor its last one is 1 or 3, the number "
            "of channels",
            format("set the layout, as in {} NAME=layout:nchw", setting_name("image")));
      }
    }
    const bool is_nchw = target.layout == Layout::nchw;
    target.channels = is_nchw ? last[0] : last[2];
    target.height = is_nchw ? last[1] : last[0];
    target.width = is_nchw ? last[2] : last[1];
    if (target.channels >= 0 && !counts_channels(target.channels))
      fail(format("it has {} channels", target.channels), "images have 1 or 3");
    return target;
  }

 private:
  DataType type_;
  std::span<const std::int64_t> dimensions_;
};

double of_channel(const std::vector<double>& values, std::int64_t channel, double otherwise) {
  if (values.empty()) return otherwise;
  return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(channel)];
}

Shape shape_of(const Image& image, const Target& target) {
  if (target.rank == 2) return {image.height, image.width};
  std::vector<std::int64_t> dimensions =
      target.layout == Layout::nchw
          ? std::vector<std::int64_t>{image.channels, image.height, image.width}
          : std::vector<std::int64_t>{image.height, image.width, image.channels};
  if (target.rank == 4) dimensions.insert(dimensions.begin(), 1);
  return Shape(std::move(dimensions));
}

}  // namespace

Tensor image_to_tensor(const Image& image, const std::optional<ImageOptions>& given, DataType type,
                       std::span<const std::int64_t> dimensions, MemoryCap* cap) {
  const ImageOptions options = given.value_or(ImageOptions{});
  const Fitting fitting(type, dimensions);
  fitting.check_type();
  const Target target = fitting.find_target(options.layout);
  std::int64_t channels = target.channels;
  if (options.order != Order::automatic) {
    const std::int64_t wanted = options.order == Order::gray ? 1 : 3;
    if (channels >= 0 && channels != wanted)
      fitting.fail(format("order asks for {} channels", wanted), "leave order out");
    channels = wanted;
  }
  if (channels < 0) channels = image.channels;
  if ((options.mean.size() == 3 || options.std.size() == 3) && channels != 3)
    fitting.fail("mean or std has 3 values for 1 channel", "give one value");
  const bool is_scaled = options.scale != 1 || !options.mean.empty() || !options.std.empty();
  if (type == DataType::uint8 && is_scaled)
    fitting.fail("scale, mean and std do not produce uint8", "leave them out for a uint8 input");

  const Image fitted =
      with_channels(fit_image(image, options, target.width, target.height), channels);
  if ((target.height >= 0 && target.height != fitted.height) ||
      (target.width >= 0 && target.width != fitted.width)) {
    fitting.fail(
        format("resize and crop produce {} rows and {} columns", fitted.height, fitted.width),
        format("resize or crop to {}x{} (width x height)", target.width, target.height));
  }
  const bool is_uint8 = type == DataType::uint8;
  Tensor result(is_uint8 ? type : DataType::float32, shape_of(fitted, target), cap);
  const std::int64_t pixel_count = fitted.width * fitted.height;
  const bool is_planar = target.layout == Layout::nchw;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const std::int64_t source = options.order == Order::bgr ? channels - 1 - channel : channel;
    // In double, so that the result is rounded once.
    const double mean = of_channel(options.mean, channel, 0);
    const double deviation = of_channel(options.std, channel, 1);
    float values[256];
    for (int sample = 0; sample < 256; ++sample)
      values[sample] = static_cast<float>((sample * options.scale - mean) / deviation);
    const std::int64_t first = is_planar ? channel * pixel_count : channel;
    const std::int64_t step = is_planar ? 1 : channels;
    const std::uint8_t* in = fitted.pixels.data() + source;
    if (is_uint8) {
      std::uint8_t* out = result.mutable_data<std::uint8_t>().data() + first;
      for (std::int64_t i = 0; i < pixel_count; ++i) out[i * step] = in[i * channels];
    } else {
      float* out = result.mutable_data<float>().data() + first;
      for (std::int64_t i = 0; i < pixel_count; ++i) out[i * step] = values[in[i * channels]];
    }
  }
  return convert(result, type, {}, cap);
}

}  // namespace ortool
