// Image options: preprocessing recipes by input.
#include "apps/ortool/options/image_options.hpp"

#include <algorithm>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/dataset/model_recipe.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/io/image_presets.hpp"

namespace ortool {
namespace {

constexpr std::string_view auto_word = "auto";

std::string preset_names() {
  std::vector<std::string_view> names;
  for (const ImagePreset& preset : image_presets()) names.push_back(preset.name);
  return list_names(names);
}

/// Whether an image could feed it, by its type.
bool may_take_images(const Value& input) {
  const ValueType& type = input.type();
  const bool has_element =
      type.is_tensor() && (type.element == DataType::uint8 || is_floating_point(type.element));
  if (!has_element || !type.shape || type.shape->size() < 3 || type.shape->size() > 4) return false;
  const Dimensions& sizes = *type.shape;
  const auto counts_channels = [](const Dimension& size) {
    return !size.is_known() || size.number() == 1 || size.number() == 3;
  };
  return counts_channels(sizes[sizes.size() - 3]) || counts_channels(sizes.back());
}

/// The input of a recipe without a name.
const Value& image_input(const Model& model, const std::string& text) {
  std::vector<const Value*> required;
  std::vector<const Value*> fitting;
  for (const Value* input : model.inputs()) {
    if (input->has_default()) continue;
    required.push_back(input);
    if (may_take_images(*input)) fitting.push_back(input);
  }
  if (required.size() == 1) return *required.front();
  if (fitting.size() == 1) return *fitting.front();
  const std::vector<std::string> names = required_names(model.inputs());
  throw Error(
      ErrorCode::invalid,
      format("option --image: {} does not name its input, and the model has several", quote(text)),
      format("write --image NAME={}; the inputs are: {}", text, list_names(names)))
      .with_id("usage.value");
}

/// The input and recipe of "RECIPE", "NAME=RECIPE" or "NAME:RECIPE"; recipes contain no '='.
NamedValue split_recipe(const std::string& text, const Model& model) {
  const std::vector<std::string> names = names_of(model.inputs());
  const bool has_name = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return text.starts_with(name + "=") || text.starts_with(name + ":");
  });
  const std::size_t sign = text.find('=');
  const bool is_misspelled = sign != std::string::npos && !is_image_key(text.substr(0, sign));
  if (has_name || is_misspelled) return split_input_value("image", text, model.inputs());
  return {std::string(image_input(model, text).name()), text};
}

ImageOptions find_automatic(const Invocation& invocation, const Model& model, const Value& input,
                            std::string_view changes) {
  const auto found = find_model_recipe(model, input);
  if (!found) {
    const std::string folder =
        model.directory.empty() ? std::string("no folder") : quote(model.directory);
    throw Error(
        ErrorCode::invalid,
        format("option --image: nothing says how images for input {} are prepared: neither "
               "the model's metadata, nor preprocessor_config.json or config.json (timm) in "
               "{}, nor the model's first nodes",
               quote(input.name()), folder),
        format("choose a preset: {}", preset_names()))
        .with_id("image.auto");
  }
  invocation.messages.info(format("images for input {} are prepared as {} says: {}",
                                  quote(input.name()), found->source, found->recipe));
  return parse_image_options(changes, parse_image_options(found->recipe));
}

ImageOptions read_recipe(const Invocation& invocation, const Model& model, const Value& input,
                         std::string_view text) {
  if (text != auto_word && !text.starts_with("auto,")) return parse_image_options(text);
  text.remove_prefix(std::min(text.size(), auto_word.size() + 1));
  return find_automatic(invocation, model, input, text);
}

}  // namespace

OptionSpec image_option() {
  return {.name = "image",
          .value = "[NAME=]RECIPE",
          .help =
              "a preset (imagenet, torchvision, keras, clip, yolo), auto, or keys: "
              "resize:256,scale:1/255,mean:R/G/B,std:R/G/B,order:bgr,layout:nhwc",
          .repeats = true,
          .completes = Completion::inputs};
}

OptionSpec image_config_option() {
  return {.name = "image-config",
          .value = "FILE",
          .help = "preprocessing from a JSON file: {NAME: {resize: 256, crop: 224}}",
          .completes = Completion::files};
}

ImageRecipes read_image_recipes(const Invocation& invocation, const Model& model) {
  const OptionValues& options = invocation.options;
  ImageRecipes recipes;
  for (const std::string& text : options.all("image")) {
    const NamedValue pair = split_recipe(text, model);
    recipes.insert_or_assign(
        pair.name, read_recipe(invocation, model, *model.find_value(pair.name), pair.value));
  }
  if (options.has("image-config")) {
    const std::vector<std::string> names = names_of(model.inputs());
    for (auto& [name, recipe] : read_image_config(options.text("image-config"), names)) {
      recipes.emplace(name, std::move(recipe));
    }
  }
  return recipes;
}

std::string image_warning(const Model& model, const Value& input, const ImageRecipes& recipes) {
  const auto recipe = recipes.find(input.name());
  return recipe != recipes.end() ? scaled_twice_warning(model, input, recipe->second)
                                 : unnormalized_warning(model, input);
}

}  // namespace ortool
