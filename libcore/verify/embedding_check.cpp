// Embedding check: preprocesses random images by the nodes and by the code of `run`.
#include "libcore/verify/embedding_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "libcore/base/format.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/surgery/extract.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Somewhat larger than its target size, where the size is free.
Image random_image(const Embedding& embedding, std::int64_t index) {
  const Dimensions& dimensions = *embedding.type.shape;
  const std::size_t rank = dimensions.size();
  const bool has_planes = embedding.nodes.has_planes;
  const std::size_t rows = rank == 2 || has_planes ? rank - 2 : rank - 3;
  const auto sized = [](const Dimension& dimension, std::int64_t otherwise) {
    return dimension.is_known() ? dimension.number() : otherwise;
  };
  const ImageOptions& recipe = embedding.recipe;
  Image picture;
  picture.channels = 1;
  if (rank > 2) picture.channels = sized(dimensions[has_planes ? rank - 3 : rank - 1], 3);
  picture.height = sized(dimensions[rows], 37);
  picture.width = sized(dimensions[rows + 1], 50);
  const bool is_free =
      recipe.resize_shorter_side > 0 || recipe.resize_width > 0 || recipe.crop_width > 0;
  if (is_free) {
    picture.height = std::max({picture.height, recipe.crop_height, recipe.resize_height}) + 31;
    picture.width = std::max({picture.width, recipe.crop_width, recipe.resize_width}) * 3 / 2 + 8;
  }
  const auto count = static_cast<std::size_t>(picture.height * picture.width * picture.channels);
  std::mt19937 random(static_cast<std::uint32_t>(index));
  picture.pixels.resize(count);
  for (std::uint8_t& sample : picture.pixels) sample = static_cast<std::uint8_t>(random() >> 24);
  return picture;
}

/// The image in the memory layout that the written model takes.
std::vector<std::uint8_t> laid_out(const Image& picture, bool is_planar) {
  if (!is_planar) return picture.pixels;
  const std::size_t pixels = static_cast<std::size_t>(picture.height * picture.width);
  const auto channels = static_cast<std::size_t>(picture.channels);
  std::vector<std::uint8_t> planes(picture.pixels.size());
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t channel = 0; channel < channels; ++channel)
      planes[channel * pixels + i] = picture.pixels[i * channels + channel];
  }
  return planes;
}

Tolerance tolerance_of(const Embedding& embedding) {
  const ImageOptions& recipe = embedding.recipe;
  const DataType type = embedding.type.element;
  const double rtol = type == DataType::float16 ? 1e-3 : type == DataType::bfloat16 ? 1e-2 : 1e-6;
  if (recipe.resize_shorter_side == 0 && recipe.resize_width == 0)
    return {.rtol = rtol, .atol = 1e-6, .atol_of_max = true};
  const std::vector<double>& factors = embedding.nodes.factors;
  double level = factors.empty() ? 1 : 0;
  for (const double factor : factors) level = std::max(level, std::fabs(factor));
  return {.rtol = rtol, .atol = level * 1.001, .atol_of_max = false};
}

}  // namespace

EmbeddingCheck check_embedding(const Embedding& embedding, std::unique_ptr<Model> model,
                               const Verifier& verifier) {
  EmbeddingCheck result{.input = embedding.input};
  infer_shapes(*model);
  const auto session =
      verifier.make_session(extract(std::move(model), {embedding.input}, {embedding.embedded_as}));
  std::vector<std::int64_t> sizes;
  for (const Dimension& dimension : *embedding.type.shape) sizes.push_back(dimension.number());
  const bool has_batch = sizes.size() == 4;
  const std::int64_t batch = has_batch && sizes[0] > 0 ? sizes[0] : 1;
  if (has_batch) sizes[0] = 1;
  std::vector<std::uint8_t> bytes;
  std::vector<Tensor> expected;
  Image picture;
  for (std::int64_t i = 0; i < batch; ++i) {
    picture = random_image(embedding, i);
    const std::vector<std::uint8_t> more = laid_out(picture, embedding.nodes.takes_planes);
    bytes.insert(bytes.end(), more.begin(), more.end());
    expected.push_back(image_to_tensor(picture, embedding.recipe, embedding.type.element, sizes));
  }
  std::vector<std::int64_t> shape = {picture.height, picture.width};
  if (sizes.size() > 2)
    shape.insert(embedding.nodes.takes_planes ? shape.begin() : shape.end(), picture.channels);
  if (has_batch) shape.insert(shape.begin(), batch);
  const NamedValues inputs = {
      {embedding.input, Tensor::of<std::uint8_t>(Shape(shape), std::span(bytes))}};
  const Tensor found = verifier.run(*session, inputs).front().tensor();
  const std::int64_t each = found.size_bytes() / batch;
  result.has_passed = true;
  for (std::int64_t i = 0; i < batch && result.has_passed; ++i) {
    const Tensor& wanted = expected[static_cast<std::size_t>(i)];
    if (wanted.size_bytes() != each) {
      result.has_passed = false;
      result.reason = format("shape {} found, {} expected", found.shape().to_string(),
                             wanted.shape().to_string());
      return result;
    }
    const Tensor part =
        Tensor::view(found.type(), wanted.shape(),
                     {found.bytes() + i * each, static_cast<std::size_t>(each)}, nullptr);
    // uint8 is compared as float, since integer comparison has no tolerance.
    const bool is_bytes = wanted.type() == DataType::uint8;
    const TensorComparison comparison =
        is_bytes ? compare(convert(part, DataType::float32), convert(wanted, DataType::float32),
                           tolerance_of(embedding))
                 : compare(part, wanted, tolerance_of(embedding));
    result.max_abs_error = std::max(result.max_abs_error, comparison.max_abs_error);
    result.has_passed = comparison.difference.empty() && comparison.passed;
    if (!result.has_passed) {
      result.reason =
          comparison.difference.empty()
              ? format(
                    "{} of {} elements differ from the image as preprocessed by run, by at most {}",
                    comparison.mismatched, comparison.count, comparison.max_abs_error)
              : comparison.difference;
    }
  }
  return result;
}

}  // namespace ortool
