// Image options: --image and --image-config, the preprocessing of images.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/image_config.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

OptionSpec image_option();
OptionSpec image_config_option();

/// Recipes of --image and --image-config by input; --image takes precedence. A recipe without a
/// name is for the only input, or the only one that takes images.
ImageRecipes read_image_recipes(const Invocation& invocation, const Model& model);

/// What to warn of when an image is fed to `input` by its recipe, or without one; mostly nothing.
std::string image_warning(const Model& model, const Value& input, const ImageRecipes& recipes);

}  // namespace ortool
