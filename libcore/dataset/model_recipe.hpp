// Image recipe of a model: found in its metadata, or in a configuration file beside it.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"

namespace ortool {

struct ModelRecipe {
  std::string recipe;  ///< in the syntax of parse_image_options
  std::string source;  ///< "the metadata of Ultralytics", "a/preprocessor_config.json"
};

/// What says how images are prepared for `input`, in this order: metadata of Ultralytics or of the
/// ONNX standard (Image.*); preprocessor_config.json or timm's config.json in the model's folder,
/// or above it if it is named "onnx"; the model's first nodes, if they scale pixel values. Throws
/// ErrorCode::unsupported or ErrorCode::invalid for a file with steps that no recipe can express,
/// or damage.
std::optional<ModelRecipe> find_model_recipe(const Model& model, const Value& input);

/// Whether the model's first nodes scale pixel values themselves, or quantize a range like theirs.
bool takes_pixel_values(const Model& model, const Value& input);

/// A warning for images that are fed to `input` without a recipe, with values 0 to 255: what to do
/// about it. Empty if such values are what it takes.
std::string unnormalized_warning(const Model& model, const Value& input);

/// A warning for images that `recipe` scales for an input whose values the model scales itself;
/// empty if that is not so.
std::string scaled_twice_warning(const Model& model, const Value& input,
                                 const ImageOptions& recipe);

}  // namespace ortool
