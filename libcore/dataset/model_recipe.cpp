// Image recipe of a model: the keys of metadata, and the order in which files are tried.
#include "libcore/dataset/model_recipe.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/preprocessor_config.hpp"
#include "libcore/inspect/preprocessing.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_config_file_bytes = 1 << 20;
/// Values above it are no normalized ones.
constexpr double largest_normalized = 8;

std::string metadata_at(const Model& model, std::string_view key) {
  for (const auto& [name, value] : model.metadata) {
    if (name == key) return value;
  }
  return {};
}

/// Ultralytics' exporter writes author, task, imgsz and stride.
std::optional<ModelRecipe> recipe_of_ultralytics(const Model& model) {
  const bool is_theirs = metadata_at(model, "author") == "Ultralytics" &&
                         !metadata_at(model, "task").empty() &&
                         !metadata_at(model, "stride").empty();
  if (!is_theirs) return std::nullopt;
  const bool is_classifier = metadata_at(model, "task") == "classify";
  return ModelRecipe{
      is_classifier ? "size:224,crop_pct:1,scale:1/255" : "yolo",
      format("the model's metadata (Ultralytics, task {})", quote(metadata_at(model, "task"), 30))};
}

/// The metadata of https://github.com/onnx/onnx/blob/main/docs/MetadataProps.md.
std::optional<ModelRecipe> recipe_of_standard(const Model& model) {
  const std::string format_name = metadata_at(model, "Image.BitmapPixelFormat");
  const std::string range = metadata_at(model, "Image.NominalPixelRange");
  if (format_name.empty() && range.empty()) return std::nullopt;
  std::string recipe;
  if (range == "Normalized_0_1") {
    recipe = "scale:1/255";
  } else if (range == "Normalized_1_1") {
    recipe = "scale:1/127.5,mean:1";
  } else if (range.empty() || range == "NominalRange_0_255") {
    recipe = "scale:1";
  } else {
    return std::nullopt;
  }
  if (format_name.starts_with("Bgr")) recipe += ",order:bgr";
  if (format_name.starts_with("Gray")) recipe += ",order:gray";
  return ModelRecipe{recipe, "the model's metadata (Image.*)"};
}

std::optional<std::string> recipe_in(const std::string& path) {
  const Json config = parse_json(read_text_file(path, max_config_file_bytes), path);
  if (!config.is_object()) return std::nullopt;
  try {
    if (fs::path(path).filename() == "config.json") return recipe_of_timm(config);
    return recipe_of_transformers(config);
  } catch (Error& error) {
    throw error.in(path);
  }
}

std::optional<ModelRecipe> recipe_beside(const fs::path& folder) {
  for (const char* name : {"preprocessor_config.json", "config.json"}) {
    std::error_code failure;
    const fs::path path = folder / name;
    if (!fs::is_regular_file(path, failure)) continue;
    if (auto recipe = recipe_in(path.string())) {
      return ModelRecipe{std::move(*recipe), path.string()};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ModelRecipe> find_model_recipe(const Model& model, const Value& input) {
  if (auto found = recipe_of_ultralytics(model)) return found;
  if (auto found = recipe_of_standard(model)) return found;
  const fs::path beside = model.directory;
  if (!beside.empty()) {
    if (auto found = recipe_beside(beside)) return found;
    std::error_code failure;
    const fs::path canonical = fs::weakly_canonical(beside, failure);
    if (!failure && canonical.filename() == "onnx") {
      if (auto found = recipe_beside(canonical.parent_path())) return found;
    }
  }
  if (takes_pixel_values(model, input))
    return ModelRecipe{"scale:1", "the model's first nodes, which scale pixel values"};
  return std::nullopt;
}

bool takes_pixel_values(const Model& model, const Value& input) {
  const PreprocessingHint hint = find_preprocessing(model, input);
  const auto is_large = [](double number) { return std::fabs(number) > largest_normalized; };
  if (hint.range) return hint.range->second > largest_normalized;
  return std::any_of(hint.mean.begin(), hint.mean.end(), is_large) ||
         std::any_of(hint.std.begin(), hint.std.end(), is_large);
}

std::string unnormalized_warning(const Model& model, const Value& input) {
  if (!input.type().is_tensor() || !is_floating_point(input.type().element)) return {};
  if (takes_pixel_values(model, input)) return {};
  const std::string option = setting_name("image");
  std::string text = format(
      "values 0 to 255 are fed to {} input {}, and nothing in the model "
      "scales them: ",
      name_of(input.type().element), quote(input.name()));
  try {
    if (const auto found = find_model_recipe(model, input))
      return text + format("{} auto prepares images as {} says", option, found->source);
  } catch (const Error&) {
    // A file that cannot be used: the presets remain.
  }
  return text + format(
                    "most models expect normalized values, as {} imagenet, keras, clip or yolo "
                    "gives; {} scale:1 if 0 to 255 is right",
                    option, option);
}

std::string scaled_twice_warning(const Model& model, const Value& input,
                                 const ImageOptions& recipe) {
  const double deviation = recipe.std.empty() ? 1 : std::fabs(recipe.std.front());
  const bool is_scaled = 255 * std::fabs(recipe.scale) / deviation < largest_normalized;
  if (!is_scaled || !takes_pixel_values(model, input)) return {};
  return format(
      "the model's first nodes expect values 0 to 255 of input {}, but {} scales them "
      "(leave scale, mean and std out)",
      quote(input.name()), setting_name("image"));
}

}  // namespace ortool
