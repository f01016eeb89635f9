// Image options: --image and --image-config, the preprocessing of images.
#pragma once

#include <map>
#include <span>
#include <string>

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/dataset/image_config.hpp"

namespace ortool {

OptionSpec image_option();
OptionSpec image_config_option();

/// Recipes of --image and --image-config by input; --image takes precedence.
std::map<std::string, ImageOptions, std::less<>> read_image_recipes(
    const OptionValues& options, std::span<const std::string> inputs);

}  // namespace ortool
