// Parser for image preprocessing options.
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/image_tensor.hpp"

namespace ortool {
namespace {

constexpr std::array<std::string_view, 7> keys = {"resize", "crop", "layout", "order",
                                                  "scale",  "mean", "std"};
constexpr std::int64_t max_side = std::int64_t{1} << 16;

[[noreturn]] void fail_value(std::string_view key, std::string_view value,
                             std::string_view expected) {
  throw Error(ErrorCode::invalid,
              format("image option {} cannot be {} ({} expected)", key, quote(value), expected));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_side(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > max_side)
    return std::nullopt;
  return value;
}

void set_resize(ImageOptions& options, std::string_view value) {
  const auto sides = split(value, 'x');
  const auto width = parse_side(sides[0]);
  const auto height = parse_side(sides.back());
  if (sides.size() > 2 || !width || !height)
    fail_value("resize", value, "the shorter side such as 256, or width x height such as 320x240,");
  if (sides.size() == 1) {
    options.resize_shorter_side = *width;
  } else {
    options.resize_width = *width;
    options.resize_height = *height;
  }
}

void set_crop(ImageOptions& options, std::string_view value) {
  const auto sides = split(value, 'x');
  const auto width = parse_side(sides[0]);
  const auto height = parse_side(sides.back());
  if (sides.size() > 2 || !width || !height)
    fail_value("crop", value, "a side such as 224, or width x height such as 320x240,");
  options.crop_width = *width;
  options.crop_height = *height;
}

double parse_scale(std::string_view value) {
  const auto parts = split(value, '/');
  const auto upper = parse_number(parts[0]);
  const auto lower = parts.size() == 2 ? parse_number(parts[1]) : std::optional<double>(1);
  if (parts.size() > 2 || !upper || !lower || *lower == 0)
    fail_value("scale", value, "a number, or a fraction such as 1/255,");
  return *upper / *lower;
}

std::vector<double> parse_list(std::string_view key, std::string_view value) {
  std::vector<double> result;
  for (const std::string_view part : split(value, '/')) {
    const auto number = parse_number(part);
    if (!number || (key == "std" && *number == 0))
      fail_value(key, value, "one number, or one per channel such as 0.5/0.5/0.5,");
    result.push_back(*number);
  }
  if (result.size() != 1 && result.size() != 3)
    fail_value(key, value, "one number, or one per channel such as 0.5/0.5/0.5,");
  return result;
}

}  // namespace

void set_image_option(ImageOptions& options, std::string_view key, std::string_view value) {
  if (key == "resize") {
    set_resize(options, value);
  } else if (key == "crop") {
    set_crop(options, value);
  } else if (key == "layout") {
    if (value != "nchw" && value != "nhwc") fail_value(key, value, "nchw or nhwc");
    options.layout = value == "nchw" ? ImageOptions::Layout::nchw : ImageOptions::Layout::nhwc;
  } else if (key == "order") {
    if (value != "rgb" && value != "bgr" && value != "gray")
      fail_value(key, value, "rgb, bgr or gray");
    options.order = value == "rgb"   ? ImageOptions::Order::rgb
                    : value == "bgr" ? ImageOptions::Order::bgr
                                     : ImageOptions::Order::gray;
  } else if (key == "scale") {
    options.scale = parse_scale(value);
  } else if (key == "mean") {
    options.mean = parse_list(key, value);
  } else if (key == "std") {
    options.std = parse_list(key, value);
  } else {
    const std::string nearest = nearest_name(key, keys);
    throw Error(
        ErrorCode::invalid, format("unknown image option {}", quote(key)),
        nearest.empty() ? "there are " + list_names(keys) : format("did you mean {}?", nearest));
  }
}

ImageOptions parse_image_options(std::string_view text) {
  ImageOptions options;
  std::vector<std::string_view> given;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
      throw Error(ErrorCode::invalid, format("image option {} has no value", quote(part)),
                  "write it as resize:256,crop:224,layout:nchw,order:rgb,scale:1/255");
    }
    const std::string_view key = part.substr(0, colon);
    for (const std::string_view other : given) {
      if (other == key)
        throw Error(ErrorCode::invalid, format("image option {} is given twice", quote(key)));
    }
    given.push_back(key);
    set_image_option(options, key, part.substr(colon + 1));
  }
  return options;
}

}  // namespace ortool
