// Image options: preprocessing recipes by input.
#include "apps/ortool/options/image_options.hpp"

#include <algorithm>

#include "libcore/base/file/file.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

OptionSpec image_option() {
  return {.name = "image",
          .value = "NAME=RECIPE",
          .help = "preprocessing of an image: resize:256,crop:224,scale:1/255",
          .repeats = true,
          .completes = Completion::inputs};
}

OptionSpec image_config_option() {
  return {.name = "image-config",
          .value = "FILE",
          .help = "preprocessing from a JSON file: {NAME: {resize: 256, crop: 224}}",
          .completes = Completion::files};
}

std::map<std::string, ImageOptions, std::less<>> read_image_recipes(
    const OptionValues& options, std::span<const std::string> inputs) {
  std::map<std::string, ImageOptions, std::less<>> recipes;
  for (const std::string& text : options.all("image")) {
    const NamedValue pair = split_named_value("image", text, inputs, "input", "inputs");
    recipes.insert_or_assign(pair.name, parse_image_options(pair.value));
  }
  if (options.has("image-config")) {
    for (auto& [name, recipe] : read_image_config(options.text("image-config"), inputs)) {
      recipes.emplace(name, std::move(recipe));
    }
  }
  return recipes;
}

}  // namespace ortool
