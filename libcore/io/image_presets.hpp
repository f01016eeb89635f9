// Image preprocessing presets: the published recipes of well-known libraries, by name.
#pragma once

#include <span>
#include <string_view>

namespace ortool {

struct ImagePreset {
  std::string_view name;
  std::string_view recipe;  ///< in the syntax of parse_image_options
  std::string_view source;  ///< whose preprocessing it is
};

std::span<const ImagePreset> image_presets();

/// The preset of that name, or null.
const ImagePreset* find_image_preset(std::string_view name);

}  // namespace ortool
