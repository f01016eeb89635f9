// JSON values become the texts that --image takes.
#include "apps/ortool/options/image_config.hpp"

#include <algorithm>

#include "apps/ortool/config_file.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/report/json.hpp"
#include "apps/ortool/suggest.hpp"
#include "libcore/base/file/file.hpp"

namespace ortool {
namespace {

/// A list of numbers is written with slashes on the command line.
std::string image_option_text(const Json& value) {
  if (value.is_text()) return value.text();
  if (!value.is_list()) return value.write_compact();
  std::string text;
  for (const Json& item : value.items())
    text += (text.empty() ? "" : "/") + image_option_text(item);
  return text;
}

void check_object(const Json& value) {
  if (value.is_object()) return;
  throw Error(ErrorCode::invalid, "holds no JSON object where one is expected",
              "write {\"INPUT\": {\"resize\": 256, \"crop\": 224}}")
      .with_id("usage.value");
}

}  // namespace

OptionSpec image_option() {
  return {.name = "image",
          .value = "NAME=RECIPE",
          .help = "how a picture becomes the input: resize:256,crop:224,scale:1/255",
          .repeats = true};
}

OptionSpec image_config_option() {
  return {.name = "image-config",
          .value = "FILE",
          .help = "the same from a JSON file: {NAME: {resize: 256, crop: 224}}",
          .completes = Completes::files};
}

std::map<std::string, ImageOptions> read_image_config(const std::string& path,
                                                      std::span<const std::string> inputs) {
  const Json document = parse_json(read_text_file(path, most_config_bytes), path);
  std::map<std::string, ImageOptions> result;
  try {
    check_object(document);
    for (const auto& [name, recipe] : document.members()) {
      if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
        throw unknown_name("input", name, "inputs", inputs);
      }
      check_object(recipe);
      for (const auto& [key, value] : recipe.members()) {
        set_image_option(result[name], key, image_option_text(value));
      }
    }
  } catch (Error& error) {
    throw error.in(path);
  }
  return result;
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
