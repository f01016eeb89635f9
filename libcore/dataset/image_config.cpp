// Image recipes: converts JSON values to the text form of image options.
#include "libcore/dataset/image_config.hpp"

#include <algorithm>

#include "libcore/base/file/file.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_image_config_bytes = 1 << 20;

/// On the command line, lists of numbers are separated by slashes.
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
  throw Error(ErrorCode::invalid, "does not hold a JSON object where one is expected",
              "write {\"INPUT\": {\"resize\": 256, \"crop\": 224}}")
      .with_id("usage.value");
}

}  // namespace

std::map<std::string, ImageOptions> read_image_config(const std::string& path,
                                                      std::span<const std::string> inputs) {
  const Json document = parse_json(read_text_file(path, max_image_config_bytes), path);
  std::map<std::string, ImageOptions> result;
  try {
    check_object(document);
    for (const auto& [name, recipe] : document.members()) {
      if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
        throw unknown_name("input", name, "inputs", inputs);
      }
      if (recipe.is_text()) {
        result[name] = parse_image_options(recipe.text());
        continue;
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

}  // namespace ortool
