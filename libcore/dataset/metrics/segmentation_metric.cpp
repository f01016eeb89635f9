// Mean intersection over union (mIoU): compares class maps with the label images of a folder.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/metrics/class_map.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/dataset/metrics/pixel_state.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

/// The value of pixels that do not count, as in Pascal VOC and Cityscapes.
constexpr std::uint8_t ignored_class = 255;
constexpr std::string_view mask_extension = ".png";

class SegmentationMetric : public OutputMetric {
 public:
  SegmentationMetric(std::string folder, const TaskContext& task)
      : folder_(std::move(folder)), task_(task) {}

  void add(const Sample& sample, std::span<const NamedTensor> outputs) override;
  MetricResult result() const override { return counts_.result(); }
  Json state() const override { return counts_.state(); }

 private:
  std::string mask_of(const Sample& sample) const;
  void count_pixels(const ClassMap& map, const Image& mask, const SampleImage& image);

  std::string folder_;
  const TaskContext& task_;
  PixelState counts_;
};

std::string SegmentationMetric::mask_of(const Sample& sample) const {
  const fs::path relative(sample.name);
  const std::string stem =
      (sample.image ? fs::path(sample.image->path) : relative).stem().string() +
      std::string(mask_extension);
  std::error_code failure;
  for (const fs::path& path :
       {fs::path(folder_) / relative.parent_path() / stem, fs::path(folder_) / stem}) {
    if (fs::is_regular_file(path, failure)) return path.string();
  }
  throw Error(ErrorCode::invalid, format("{} has no {}", folder_, quote(stem)),
              format("{} DIR names the folder of label images, named after the images",
                     setting_name("labels")))
      .with_id("data.labels");
}

/// For each column or row of a mask the one of the class map, or -1 outside the model input.
std::vector<std::int64_t> nearest_places(std::int64_t mask, std::int64_t image, double scale,
                                         double offset, std::int64_t input, std::int64_t map) {
  // Centers on a border of two elements stay there in spite of rounding.
  constexpr double rounding = 1e-9;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < mask; ++i) {
    const double in_image =
        (static_cast<double>(i) + 0.5) * static_cast<double>(image) / static_cast<double>(mask);
    const double in_input = in_image * scale + offset + rounding;
    const double in_map = in_input * static_cast<double>(map) / static_cast<double>(input);
    const bool is_inside = in_input >= 0 && in_input < static_cast<double>(input);
    places.push_back(
        is_inside ? std::min(static_cast<std::int64_t>(std::floor(in_map + rounding)), map - 1)
                  : -1);
  }
  return places;
}

void SegmentationMetric::count_pixels(const ClassMap& map, const Image& mask,
                                      const SampleImage& image) {
  const ImagePlacement& placement = image.placement;
  const auto columns = nearest_places(mask.width, image.size.width, placement.scale_x,
                                      placement.offset_x, image.input_size.width, map.size.width);
  const auto rows = nearest_places(mask.height, image.size.height, placement.scale_y,
                                   placement.offset_y, image.input_size.height, map.size.height);
  for (std::int64_t y = 0; y < mask.height; ++y) {
    for (std::int64_t x = 0; x < mask.width; ++x) {
      const std::uint8_t truth = mask.pixels[static_cast<std::size_t>(y * mask.width + x)];
      const std::int64_t row = rows[static_cast<std::size_t>(y)];
      const std::int64_t column = columns[static_cast<std::size_t>(x)];
      if (truth == ignored_class) {
        ++counts_.ignored_pixels;
      } else if (row < 0 || column < 0) {
        ++counts_.cropped_pixels;
      } else if (map.class_count > 0 && truth >= map.class_count) {
        throw Error(ErrorCode::invalid,
                    format("the label image has class {} at row {}, column {}, but the model has "
                           "{} classes",
                           truth, y, x, map.class_count),
                    "255 marks pixels that do not count")
            .with_id("data.labels");
      } else {
        counts_.overlap.add(map.classes[static_cast<std::size_t>(row * map.size.width + column)],
                            truth);
      }
    }
  }
}

void SegmentationMetric::add(const Sample& sample, std::span<const NamedTensor> outputs) {
  const std::string path = mask_of(sample);
  const MappedFile file = MappedFile::open(path);
  try {
    const Image mask = decode_class_indices(file.bytes(), &task_.memory);
    const ImageSize mask_size{mask.width, mask.height};
    const SampleImage image =
        sample.image ? *sample.image : SampleImage{path, mask_size, mask_size, {}, false};
    count_pixels(class_map_of(outputs, image.input_size, image.is_channels_last), mask, image);
  } catch (Error& error) {
    throw error.in(path);
  }
  ++counts_.samples;
}

}  // namespace

std::unique_ptr<OutputMetric> make_segmentation_metric(std::string folder,
                                                       const TaskContext& task) {
  return std::make_unique<SegmentationMetric>(std::move(folder), task);
}

}  // namespace ortool
