// Preprocessor configurations: what each member means, as transformers and timm read it.
#include "libcore/dataset/preprocessor_config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail(std::string_view what) {
  throw Error(ErrorCode::unsupported, format("its {} has no counterpart in an image recipe", what),
              format("give the recipe itself, as in {} resize:256,crop:224,scale:1/255",
                     setting_name("image")));
}

double number_at(const Json& config, std::string_view key, double otherwise) {
  const Json* value = config.find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_number() || !std::isfinite(value->number())) fail(key);
  return value->number();
}

bool flag_at(const Json& config, std::string_view key, bool otherwise) {
  const Json* value = config.find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_flag()) fail(key);
  return value->flag();
}

std::string text_at(const Json& config, std::string_view key) {
  const Json* value = config.find(key);
  return value != nullptr && value->is_text() ? value->text() : std::string();
}

/// A size in pixels, as the recipe has it.
std::string side_text(const Json& value, std::string_view key) {
  const bool is_size = value.is_number() && value.number() >= 1 && value.number() <= 65536 &&
                       value.number() == std::floor(value.number());
  if (!is_size) fail(key);
  return std::to_string(static_cast<std::int64_t>(value.number()));
}

/// "WxH" of {"height": H, "width": W}; empty for other objects.
std::string extent_text(const Json& value, std::string_view key) {
  const Json* height = value.find("height");
  const Json* width = value.find("width");
  if (height == nullptr || width == nullptr) return {};
  return side_text(*width, key) + "x" + side_text(*height, key);
}

/// One number, or one per channel, separated by slashes; with `added` to each.
std::string list_text(const Json& value, std::string_view key, double added = 0) {
  if (value.is_number()) return format("{}", value.number() + added);
  if (!value.is_list() || (value.items().size() != 1 && value.items().size() != 3)) fail(key);
  std::string text;
  for (const Json& item : value.items()) {
    if (!item.is_number()) fail(key);
    text += (text.empty() ? "" : "/") + format("{}", item.number() + added);
  }
  return text;
}

void append(std::string& recipe, std::string_view key, const std::string& value) {
  if (!recipe.empty()) recipe += ',';
  recipe.append(key).append(":").append(value);
}

/// Pillow's number of a filter.
std::string filter_name(const Json& config) {
  constexpr std::array<std::string_view, 4> names = {"nearest", "lanczos", "bilinear", "bicubic"};
  const double number = number_at(config, "resample", 2);
  if (number < 0 || number > 3 || number != std::floor(number)) fail("resample");
  return std::string(names[static_cast<std::size_t>(number)]);
}

/// Before sizes were objects, a number was the shorter side for some processors, both for others.
bool counts_shorter_side(const Json& config) {
  const std::string type =
      text_at(config, "image_processor_type") + text_at(config, "feature_extractor_type");
  for (const std::string_view name : {"CLIP", "ConvNext", "Levit", "Poolformer", "PoolFormer",
                                      "MobileNet", "MobileViT", "Perceiver", "BiT", "Bit"}) {
    if (type.find(name) != std::string::npos) return true;
  }
  return false;
}

/// ConvNext's resizing: a crop of `crop_pct` below 384 pixels, and the whole image from there on.
void append_convnext(const Json& config, const Json& shortest, std::string& recipe) {
  constexpr double smallest_whole = 384;
  const std::string side = side_text(shortest, "size");
  append(recipe, "size", side);
  if (shortest.number() >= smallest_whole) return append(recipe, "resize", side + "x" + side);
  append(recipe, "crop_pct", format("{}", number_at(config, "crop_pct", 224.0 / 256)));
}

void append_resize(const Json& config, std::string& recipe) {
  const Json* size = config.find("size");
  if (size == nullptr || size->is_null() || !flag_at(config, "do_resize", true)) return;
  if (size->is_number()) {
    const std::string side = side_text(*size, "size");
    append(recipe, "resize", counts_shorter_side(config) ? side : side + "x" + side);
    return append(recipe, "filter", filter_name(config));
  }
  const std::string extent = extent_text(*size, "size");
  const Json* shortest = size->find("shortest_edge");
  if (!extent.empty()) {
    append(recipe, "resize", extent);
  } else if (shortest != nullptr && size->find("longest_edge") == nullptr) {
    if (config.find("crop_pct") != nullptr && !config.find("crop_pct")->is_null()) {
      append_convnext(config, *shortest, recipe);
    } else {
      append(recipe, "resize", side_text(*shortest, "size"));
    }
  } else {
    fail("size");
  }
  append(recipe, "filter", filter_name(config));
}

void append_crop(const Json& config, std::string& recipe) {
  const Json* size = config.find("crop_size");
  if (size == nullptr || size->is_null() || !flag_at(config, "do_center_crop", false)) return;
  const std::string extent =
      size->is_number() ? side_text(*size, "crop_size") : extent_text(*size, "crop_size");
  if (extent.empty()) fail("crop_size");
  append(recipe, "crop", extent);
}

}  // namespace

std::optional<std::string> recipe_of_transformers(const Json& config) {
  constexpr std::array<std::string_view, 4> marks = {"image_mean", "do_resize", "do_rescale",
                                                     "do_center_crop"};
  if (std::none_of(marks.begin(), marks.end(),
                   [&](std::string_view key) { return config.find(key) != nullptr; }))
    return std::nullopt;
  std::string recipe;
  append_resize(config, recipe);
  append_crop(config, recipe);
  if (flag_at(config, "do_flip_channel_order", false)) append(recipe, "order", "bgr");
  // Configurations before do_rescale scaled to 0..1 in any case.
  const bool is_scaled = flag_at(config, "do_rescale", true);
  const bool is_shifted = is_scaled && flag_at(config, "rescale_offset", false);
  if (is_scaled) {
    const double factor = number_at(config, "rescale_factor", 1.0 / 255);
    constexpr double rounding = 1e-9;
    append(recipe, "scale",
           std::fabs(factor * 255 - 1) < rounding ? "1/255" : format("{}", factor));
  }
  if (flag_at(config, "do_normalize", true)) {
    const Json* mean = config.find("image_mean");
    const Json* std = config.find("image_std");
    const Json none(0);
    if (mean != nullptr || is_shifted)
      append(recipe, "mean", list_text(mean != nullptr ? *mean : none, "image_mean", is_shifted));
    if (std != nullptr) append(recipe, "std", list_text(*std, "image_std"));
  } else if (is_shifted) {
    append(recipe, "mean", "1");
  }
  return recipe;
}

std::optional<std::string> recipe_of_timm(const Json& config) {
  const Json* inner = config.find("pretrained_cfg");
  const Json& own = inner != nullptr && inner->is_object() ? *inner : config;
  const Json* mean = own.find("mean");
  const Json* std = own.find("std");
  const Json* size = own.find("input_size");
  if (mean == nullptr || std == nullptr || size == nullptr) return std::nullopt;
  if (!size->is_list() || size->items().size() != 3) fail("input_size");
  const std::string extent =
      side_text(size->items()[2], "input_size") + "x" + side_text(size->items()[1], "input_size");
  std::string recipe;
  append(recipe, "size", extent);
  const std::string mode = text_at(own, "crop_mode");
  const double share = number_at(own, "crop_pct", 0.875);
  if (mode == "squash" && share == 1) {
    append(recipe, "resize", extent);
  } else if (mode.empty() || mode == "center") {
    append(recipe, "crop_pct", format("{}", share));
  } else {
    fail("crop_mode " + mode);
  }
  const std::string filter = text_at(own, "interpolation");
  if (!filter.empty() && filter != "bilinear") append(recipe, "filter", filter);
  append(recipe, "scale", "1/255");
  append(recipe, "mean", list_text(*mean, "mean"));
  append(recipe, "std", list_text(*std, "std"));
  return recipe;
}

}  // namespace ortool
