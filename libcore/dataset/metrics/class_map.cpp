// Class maps: the layout of an output by its shape, and the class of the largest score.
#include "libcore/dataset/metrics/class_map.hpp"

#include <cmath>
#include <optional>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/metrics/class_overlap.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Sizes and steps of the classes, rows and columns of an output.
struct MapLayout {
  ImageSize size;
  std::int64_t classes = 1;  ///< 1: the elements are the classes
  std::int64_t class_step = 0;
  std::int64_t pixel_step = 1;
};

bool has_aspect(std::int64_t height, std::int64_t width, const ImageSize& input) {
  return height * input.width == width * input.height;
}

MapLayout layout_of_scores(const Shape& shape, const ImageSize& input, bool is_channels_last) {
  const bool fits_first = has_aspect(shape[2], shape[3], input);
  const bool fits_last = has_aspect(shape[1], shape[2], input);
  const bool is_last = fits_first == fits_last ? is_channels_last : fits_last;
  if (is_last) return {{shape[2], shape[1]}, shape[3], 1, shape[3]};
  return {{shape[3], shape[2]}, shape[1], shape[2] * shape[3], 1};
}

std::optional<MapLayout> layout_of(const Tensor& tensor, const ImageSize& input,
                                   bool is_channels_last) {
  const Shape& shape = tensor.shape();
  const std::int64_t rank = shape.rank();
  if (!is_arithmetic(tensor.type()) || rank < 2 || rank > 4 || tensor.element_count() < 2)
    return std::nullopt;
  if (rank > 2 && shape[0] != 1) return std::nullopt;
  MapLayout layout;
  if (rank == 2) {
    if (!is_integer(tensor.type())) return std::nullopt;
    layout.size = {shape[1], shape[0]};
  } else if (rank == 3) {
    layout.size = {shape[2], shape[1]};
  } else if (shape[1] == 1) {
    layout.size = {shape[3], shape[2]};
  } else if (shape[3] == 1) {
    layout.size = {shape[2], shape[1]};
  } else if (is_floating_point(tensor.type())) {
    layout = layout_of_scores(shape, input, is_channels_last);
  } else {
    return std::nullopt;
  }
  if (layout.size.width < 2 || layout.size.height < 2) return std::nullopt;
  return layout;
}

std::vector<std::int32_t> largest_of(const Tensor& tensor, const MapLayout& layout) {
  const Tensor scores = convert(tensor, DataType::float32).aligned();
  const std::span<const float> values = scores.data<float>();
  const auto pixels = static_cast<std::size_t>(layout.size.width * layout.size.height);
  std::vector<std::int32_t> result(pixels);
  std::vector<float> best(pixels);
  for (std::int64_t k = 0; k < layout.classes; ++k) {
    const float* plane = values.data() + k * layout.class_step;
    for (std::size_t i = 0; i < pixels; ++i) {
      const float score = plane[static_cast<std::int64_t>(i) * layout.pixel_step];
      if (k > 0 && !(score > best[i]) && !std::isnan(best[i])) continue;
      best[i] = score;
      result[i] = static_cast<std::int32_t>(k);
    }
  }
  return result;
}

std::vector<std::int32_t> classes_of(const Tensor& tensor, std::string_view name) {
  std::vector<std::int32_t> result;
  result.reserve(static_cast<std::size_t>(tensor.element_count()));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double value = element_as_double(tensor, i);
    if (!(value >= 0 && value < ClassOverlap::max_classes) || std::trunc(value) != value) {
      throw Error(ErrorCode::invalid,
                  format("output {} is {}[{}], but {} is not the number of a class", quote(name),
                         name_of(tensor.type()), tensor.shape().to_string(), value),
                  "one value per pixel is taken for its class; class scores are 1xCxHxW or 1xHxWxC")
          .with_id("data.output");
    }
    result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

}  // namespace

ClassMap class_map_of(std::span<const NamedTensor> outputs, const ImageSize& input_size,
                      bool is_channels_last) {
  for (const NamedTensor& output : outputs) {
    const auto layout = layout_of(*output.tensor, input_size, is_channels_last);
    if (!layout) continue;
    if (layout->classes == 1) return {layout->size, 0, classes_of(*output.tensor, output.name)};
    return {layout->size, layout->classes, largest_of(*output.tensor, *layout)};
  }
  throw Error(
      ErrorCode::invalid,
      format("no output has class scores or a class for each pixel (first: {})",
             outputs.empty() ? "none"
                             : format("{}[{}]", name_of(outputs.front().tensor->type()),
                                      outputs.front().tensor->shape().to_string())),
      format("scores are 1xCxHxW or 1xHxWxC, classes 1xHxW or 1x1xHxW; {} selects an output",
             setting_name("outputs")))
      .with_id("data.output");
}

}  // namespace ortool
