// --image and --image-config: how pictures become inputs.
#pragma once

#include <map>
#include <span>
#include <string>

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/io/image_tensor.hpp"

namespace ortool {

OptionSpec image_option();
OptionSpec image_config_option();

/// Reads {"INPUT": {"resize": 256, "mean": [0.5, 0.5, 0.5]}}. `inputs` are the names that may stand
/// there. Throws ErrorCode::invalid with the path in front.
std::map<std::string, ImageOptions> read_image_config(const std::string& path,
                                                      std::span<const std::string> inputs);

/// What --image and --image-config say, by input; --image counts where both speak.
std::map<std::string, ImageOptions, std::less<>> read_image_recipes(
    const OptionValues& options, std::span<const std::string> inputs);

}  // namespace ortool
