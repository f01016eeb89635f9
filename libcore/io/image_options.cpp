// Parser for image preprocessing options.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/image_presets.hpp"
#include "libcore/io/image_tensor.hpp"

namespace ortool {
namespace {

constexpr std::array<std::string_view, 11> keys = {"resize", "crop",   "crop_pct", "letterbox",
                                                   "size",   "filter", "layout",   "order",
                                                   "scale",  "mean",   "std"};
constexpr std::int64_t max_side = std::int64_t{1} << 16;

constexpr const char* syntax_hint =
    "write it as imagenet or another preset, or as resize:256,crop:224,order:bgr,layout:nhwc,"
    "scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225: (sample x scale - mean) / std";

[[noreturn]] void fail_value(std::string_view key, std::string_view value,
                             std::string_view expected) {
  throw Error(ErrorCode::invalid,
              format("image option {} cannot be {} ({} expected)", key, quote(value), expected),
              syntax_hint);
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

/// "224", or "320x240" (width x height). One side stands for both.
std::pair<std::int64_t, std::int64_t> parse_sides(std::string_view key, std::string_view value,
                                                  std::string_view expected) {
  const auto sides = split(value, 'x');
  const auto width = parse_side(sides[0]);
  const auto height = parse_side(sides.back());
  if (sides.size() > 2 || !width || !height) fail_value(key, value, expected);
  return {*width, *height};
}

void set_resize(ImageOptions& options, std::string_view value) {
  const auto [width, height] = parse_sides(
      "resize", value, "the shorter side such as 256, or width x height such as 320x240,");
  const bool is_side = value.find('x') == std::string_view::npos;
  options.resize_shorter_side = is_side ? width : 0;
  options.resize_width = is_side ? 0 : width;
  options.resize_height = is_side ? 0 : height;
}

double parse_fraction(std::string_view key, std::string_view value) {
  const auto parts = split(value, '/');
  const auto upper = parse_number(parts[0]);
  const auto lower = parts.size() == 2 ? parse_number(parts[1]) : std::optional<double>(1);
  if (parts.size() > 2 || !upper || !lower || *lower == 0)
    fail_value(key, value, "a number, or a fraction such as 1/255,");
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

double parse_share(std::string_view key, std::string_view value) {
  const double share = parse_fraction(key, value);
  if (!(share > 0 && share <= 1)) fail_value(key, value, "a share above 0 and up to 1,");
  return share;
}

std::uint8_t parse_sample(std::string_view key, std::string_view value) {
  const auto number = parse_number(value);
  if (!number || *number < 0 || *number > 255 || *number != std::floor(*number))
    fail_value(key, value, "the sample of the margins from 0 to 255");
  return static_cast<std::uint8_t>(*number);
}

/// The value of a table of names.
template <typename Value, std::size_t count>
Value choose(std::string_view key, std::string_view value,
             const std::array<std::pair<std::string_view, Value>, count>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, choice] : choices) {
    if (name == value) return choice;
    names.push_back(name);
  }
  fail_value(key, value, "one of " + list_names(names));
}

ResizeFilter parse_filter(std::string_view value) {
  using Filter = ResizeFilter;
  constexpr std::array<std::pair<std::string_view, Filter>, 5> filters = {{
      {"bilinear", Filter::bilinear},
      {"bicubic", Filter::bicubic},
      {"lanczos", Filter::lanczos},
      {"nearest", Filter::nearest},
      {"linear", Filter::linear},
  }};
  return choose("filter", value, filters);
}

ImageOptions::Layout parse_layout(std::string_view value) {
  constexpr std::array<std::pair<std::string_view, ImageOptions::Layout>, 2> layouts = {
      {{"nchw", ImageOptions::Layout::nchw}, {"nhwc", ImageOptions::Layout::nhwc}}};
  return choose("layout", value, layouts);
}

ImageOptions::Order parse_order(std::string_view value) {
  constexpr std::array<std::pair<std::string_view, ImageOptions::Order>, 3> orders = {
      {{"rgb", ImageOptions::Order::rgb},
       {"bgr", ImageOptions::Order::bgr},
       {"gray", ImageOptions::Order::gray}}};
  return choose("order", value, orders);
}

/// Sets a key that concerns the image's size; false for others.
bool set_size_option(ImageOptions& options, std::string_view key, std::string_view value) {
  constexpr std::string_view two_sides = "a side such as 224, or width x height such as 320x240,";
  if (key == "resize") {
    set_resize(options, value);
  } else if (key == "crop") {
    std::tie(options.crop_width, options.crop_height) = parse_sides(key, value, two_sides);
  } else if (key == "crop_pct") {
    options.crop_share = parse_share(key, value);
  } else if (key == "letterbox") {
    options.letterbox = parse_sample(key, value);
  } else if (key == "size") {
    std::tie(options.open_width, options.open_height) = parse_sides(key, value, two_sides);
  } else if (key == "filter") {
    options.filter = parse_filter(value);
  } else {
    return false;
  }
  return true;
}

[[noreturn]] void refuse_word(std::string_view word) {
  if (const std::size_t sign = word.find('=');
      is_image_key(word.substr(0, sign)) && sign < word.size()) {
    throw Error(ErrorCode::invalid, format("image option {} has '=' instead of ':'", quote(word)),
                format("write {}:{}", word.substr(0, sign), word.substr(sign + 1)));
  }
  if (is_image_key(word) || word.empty()) {
    throw Error(ErrorCode::invalid, format("image option {} has no value", quote(word)),
                syntax_hint);
  }
  std::vector<std::string_view> names = {"auto"};
  for (const ImagePreset& preset : image_presets()) names.push_back(preset.name);
  const std::string nearest = nearest_name(word, names);
  const std::string all = "the presets are " + list_names(names);
  throw Error(ErrorCode::invalid, format("{} is not an image preset", quote(word)),
              nearest.empty() ? all : format("did you mean {}? {}", nearest, all));
}

/// The ways to fit an image into the input, of which a recipe has one.
void check_fitting(const ImageOptions& options) {
  const bool has_sides = options.resize_shorter_side > 0 || options.resize_width > 0;
  const auto refuse = [](std::string_view key, std::string_view other) {
    throw Error(ErrorCode::invalid,
                format("image options {} and {} exclude each other", key, other),
                "leave one of them out");
  };
  if (options.crop_share > 0 && options.letterbox) refuse("crop_pct", "letterbox");
  if (options.crop_share > 0 && has_sides) refuse("crop_pct", "resize");
  if (options.crop_share > 0 && options.crop_width > 0) refuse("crop_pct", "crop");
  if (options.letterbox && options.crop_width > 0) refuse("letterbox", "crop");
  if (options.letterbox && options.resize_shorter_side > 0) {
    throw Error(ErrorCode::invalid, "image option letterbox needs width and height",
                "write resize:640x480 (width x height) with it");
  }
}

/// Drops the fitting of a preset that `key` replaces.
void replace_fitting(ImageOptions& options, std::string_view key) {
  if (key == "resize" || key == "crop" || key == "letterbox") options.crop_share = 0;
  if (key == "crop" || key == "crop_pct") options.letterbox.reset();
}

ImageOptions parse_parts(std::vector<std::string_view> parts, ImageOptions options) {
  std::vector<std::string_view> given;
  for (const std::string_view part : parts) {
    const std::string_view key = part.substr(0, part.find(':'));
    if (std::find(given.begin(), given.end(), key) != given.end())
      throw Error(ErrorCode::invalid, format("image option {} is given twice", quote(key)),
                  "leave one of them out");
    if (key.size() == part.size()) refuse_word(part);
    given.push_back(key);
  }
  for (const std::string_view key : given) replace_fitting(options, key);
  for (const std::string_view part : parts) {
    const std::size_t colon = part.find(':');
    set_image_option(options, part.substr(0, colon), part.substr(colon + 1));
  }
  check_fitting(options);
  return options;
}

}  // namespace

bool is_image_key(std::string_view word) {
  return std::find(keys.begin(), keys.end(), word) != keys.end();
}

void set_image_option(ImageOptions& options, std::string_view key, std::string_view value) {
  if (set_size_option(options, key, value)) return;
  if (key == "layout") {
    options.layout = parse_layout(value);
  } else if (key == "order") {
    options.order = parse_order(value);
  } else if (key == "scale") {
    options.scale = parse_fraction(key, value);
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
  std::vector<std::string_view> parts = split(text, ',');
  const ImagePreset* preset = find_image_preset(parts.front());
  if (preset == nullptr) return parse_parts(std::move(parts), {});
  parts.erase(parts.begin());
  return parse_parts(std::move(parts), parse_parts(split(preset->recipe, ','), {}));
}

ImageOptions parse_image_options(std::string_view text, const ImageOptions& base) {
  return text.empty() ? base : parse_parts(split(text, ','), base);
}

}  // namespace ortool
