// Image preprocessing recipes from a JSON file.
#pragma once

#include <map>
#include <span>
#include <string>

#include "libcore/io/image_tensor.hpp"

namespace ortool {

/// Reads {"INPUT": {"resize": 256, "mean": [0.5, 0.5, 0.5]}} or {"INPUT": "imagenet"}. `inputs` are
/// the valid names. Throws ErrorCode::invalid, starting with the path.
std::map<std::string, ImageOptions> read_image_config(const std::string& path,
                                                      std::span<const std::string> inputs);

}  // namespace ortool
