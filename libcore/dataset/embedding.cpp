// Image preprocessing syntax of --image; `layout` is that of the written model's images.
#include "libcore/dataset/embedding.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/input_layout.hpp"
#include "libcore/io/fit_image.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"

namespace ortool {
namespace {

constexpr const char* option_name = "embed-preprocessing";
using ImageLayout = ImageOptions::Layout;

[[noreturn]] void refuse_input(std::string_view input, std::string_view what,
                               std::string_view hint) {
  throw Error(ErrorCode::invalid,
              format("option {}: input {} {}", setting_name(option_name), quote(input), what),
              std::string(hint))
      .with_id("embed.input");
}

bool counts_channels(const Dimension& dimension) {
  return dimension.number() == 1 || dimension.number() == 3;
}

bool takes_pictures(const Value& input) {
  const DataType type = input.type().element;
  return input.type().is_tensor() &&
         (type == DataType::uint8 || type == DataType::float32 || type == DataType::float16 ||
          type == DataType::bfloat16 || type == DataType::float64);
}

/// Whether an input of 3 or 4 dimensions has channels before rows and columns.
bool find_planes(const Value& input) {
  const Dimensions& dimensions = *input.type().shape;
  const bool may_be_planes = counts_channels(dimensions[dimensions.size() - 3]);
  const bool may_be_packed = counts_channels(dimensions.back());
  if (may_be_planes != may_be_packed) return may_be_planes;
  const InputLayout layout = find_layout(input);
  if (!layout.name.empty()) return layout.name == "nchw";
  refuse_input(
      input.name(),
      format("does not show which dimension is the channels ({})", input.type().to_string()),
      format("fix its shape with {}, so that one dimension is 1 or 3", setting_name("shape")));
}

/// The nodes resize with Resize's antialiased linear mode, and neither pad nor cover an area.
void refuse_what_nodes_lack(std::string_view input, const ImageOptions& options) {
  if (options.letterbox)
    refuse_input(input, "cannot be letterboxed by nodes", "use resize:WxH in place of letterbox");
  if (options.crop_share > 0)
    refuse_input(input, "is not square, as crop_pct needs here", "use resize and crop");
  const bool is_resized = options.resize_shorter_side > 0 || options.resize_width > 0;
  if (is_resized && options.filter != ResizeFilter::bilinear)
    refuse_input(input, "can be resized by filter:bilinear only",
                 "add filter:bilinear; values then differ slightly from those of the preset");
}

/// As image options for the original model.
ImageOptions recipe_for(const Value& input, ImageOptions options, bool has_planes) {
  options.layout = has_planes ? ImageLayout::nchw : ImageLayout::nhwc;
  const bool is_computed = options.scale != 1 || !options.mean.empty() || !options.std.empty();
  if (input.type().element == DataType::uint8 && is_computed)
    refuse_input(input.name(), "takes uint8, which scale, mean and std do not produce",
                 "leave them out");
  const Dimensions& dimensions = *input.type().shape;
  const std::size_t rank = dimensions.size();
  const std::int64_t channels =
      rank == 2 ? 1 : dimensions[has_planes ? rank - 3 : rank - 1].number();
  const bool has_three = options.mean.size() == 3 || options.std.size() == 3;
  const bool is_gray = options.order == ImageOptions::Order::gray;
  if (channels == 1 && (has_three || options.order == ImageOptions::Order::bgr))
    refuse_input(input.name(), "has 1 channel", "give one mean and one std, and no order");
  if (channels >= 0 && channels != 1 && is_gray)
    refuse_input(input.name(), format("has {} channels", channels), "leave order:gray out");
  if (channels >= 0 && channels != 1 && channels != 3)
    refuse_input(input.name(), format("has {} channels", channels), "images have 1 or 3");
  const std::int64_t rows = rank == 2 || has_planes ? static_cast<std::int64_t>(rank) - 2
                                                    : static_cast<std::int64_t>(rank) - 3;
  std::int64_t height = dimensions[static_cast<std::size_t>(rows)].number();
  std::int64_t width = dimensions[static_cast<std::size_t>(rows) + 1].number();
  options = resolve_sizes(options, width, height);
  options.open_width = options.open_height = 0;
  refuse_what_nodes_lack(input.name(), options);
  const bool is_cropped = options.crop_width > 0;
  const std::int64_t made_width = is_cropped ? options.crop_width : options.resize_width;
  const std::int64_t made_height = is_cropped ? options.crop_height : options.resize_height;
  if (options.resize_shorter_side > 0 && !is_cropped && (height >= 0 || width >= 0)) {
    refuse_input(input.name(), format("is {} x {} (width x height)", width, height),
                 format("add crop:{}x{} after resize", width, height));
  }
  if (made_width > 0 &&
      ((width >= 0 && width != made_width) || (height >= 0 && height != made_height))) {
    refuse_input(
        input.name(),
        format("is {} x {} (width x height), not {} x {}", width, height, made_width, made_height),
        format("resize or crop to {}x{}", width, height));
  }
  return options;
}

Preprocessing nodes_for(const ImageOptions& recipe, ImageLayout pictures, bool has_planes) {
  Preprocessing nodes;
  nodes.takes_planes = pictures == ImageLayout::nchw;
  nodes.has_planes = has_planes;
  nodes.shorter_side = recipe.resize_shorter_side;
  nodes.resized = {recipe.resize_width, recipe.resize_height};
  nodes.cropped = {recipe.crop_width, recipe.crop_height};
  nodes.reverses_channels = recipe.order == ImageOptions::Order::bgr;
  // (sample * scale - mean) / std equals (sample - mean / scale) * (scale / std).
  const bool has_mean = std::any_of(recipe.mean.begin(), recipe.mean.end(),
                                    [](double number) { return number != 0; });
  if (has_mean) {
    for (const double mean : recipe.mean) nodes.subtracted.push_back(mean / recipe.scale);
  }
  const bool has_factor =
      recipe.scale != 1 ||
      std::any_of(recipe.std.begin(), recipe.std.end(), [](double number) { return number != 1; });
  if (has_factor) {
    const std::vector<double> std = recipe.std.empty() ? std::vector<double>{1} : recipe.std;
    for (const double deviation : std) nodes.factors.push_back(recipe.scale / deviation);
  }
  return nodes;
}

Embedding read_embedding(const std::string& text, const Model& model,
                         std::span<const std::string> names) {
  const NamedValue pair = split_named_value(option_name, text, names, "input", "inputs");
  const Value& input = *model.find_value(pair.name);
  Embedding embedding{.input = pair.name, .type = input.type()};
  if (!takes_pictures(input) || input.has_default())
    refuse_input(pair.name, format("does not take an image ({})", input.type().to_string()),
                 "uint8 and float inputs do");
  if (!input.type().shape || input.type().shape->size() < 2 || input.type().shape->size() > 4)
    refuse_input(pair.name, format("does not take an image ({})", input.type().to_string()),
                 format("inputs of 2 to 4 dimensions do; {} sets them", setting_name("shape")));
  ImageOptions options;
  try {
    options = parse_image_options(pair.value);
  } catch (Error& error) {
    throw Error(error.code(), format("option {}: {}", setting_name(option_name), error.message()),
                error.hint())
        .with_id("usage.value");
  }
  if (options.scale == 0) refuse_input(pair.name, "would always be 0", "scale cannot be 0");
  const ImageLayout pictures =
      options.layout == ImageLayout::automatic ? ImageLayout::nhwc : options.layout;
  const bool has_planes = input.type().shape->size() == 2 || find_planes(input);
  embedding.recipe = recipe_for(input, options, has_planes);
  embedding.nodes = nodes_for(embedding.recipe, pictures, has_planes);
  return embedding;
}

}  // namespace

std::vector<Embedding> embed_pictures(std::span<const std::string> texts, bool has_fixed_shapes,
                                      Model& model) {
  std::vector<Embedding> embeddings;
  if (texts.empty()) return embeddings;
  const DeclaredTypes declared(model);
  infer_shapes(model);
  const std::vector<std::string> names = names_of(model.inputs());
  for (const std::string& text : texts) {
    Embedding embedding = read_embedding(text, model, names);
    if (std::any_of(embeddings.begin(), embeddings.end(),
                    [&](const Embedding& other) { return other.input == embedding.input; }))
      refuse_input(embedding.input, "is given twice", "give one recipe with commas");
    embeddings.push_back(std::move(embedding));
  }
  declared.restore(model, has_fixed_shapes);
  for (Embedding& embedding : embeddings) {
    Value& input = *model.find_value(embedding.input);
    embedding.embedded_as = embed_preprocessing(model, input, embedding.nodes).name();
  }
  return embeddings;
}

}  // namespace ortool
