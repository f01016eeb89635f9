// Preprocessor configurations of Hugging Face and timm, converted to image recipes.
#pragma once

#include <optional>
#include <string>

#include "libcore/json/json.hpp"

namespace ortool {

/// The recipe that a preprocessor_config.json of Hugging Face's transformers describes; nothing for
/// processors of other data. Throws ErrorCode::unsupported for steps that no recipe can express.
std::optional<std::string> recipe_of_transformers(const Json& config);

/// The recipe of a config.json of timm (in the member `pretrained_cfg`, or at the top); nothing if
/// the document is not one. Throws like recipe_of_transformers.
std::optional<std::string> recipe_of_timm(const Json& config);

}  // namespace ortool
