// Mean average precision (mAP) of a detector: maps classes and boxes to those of the annotations.
#include <algorithm>
#include <map>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/metrics/coco_annotations.hpp"
#include "libcore/dataset/metrics/detection_decoder.hpp"
#include "libcore/dataset/metrics/detection_state.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"

namespace ortool {
namespace {

std::vector<std::string> names_of_categories(const CocoAnnotations& annotations) {
  std::vector<std::string> names;
  for (const CocoCategory& each : annotations.categories()) names.push_back(each.name);
  return names;
}

class DetectionMetric : public OutputMetric {
 public:
  DetectionMetric(const CocoAnnotations& annotations, const DetectionOptions& options,
                  std::vector<std::string> class_names, const TaskContext& task)
      : annotations_(annotations),
        task_(task),
        class_names_(std::move(class_names)),
        decoder_(options,
                 {static_cast<std::int64_t>(annotations.categories().size()),
                  annotations.categories().empty() ? 0 : annotations.categories().back().id,
                  !class_names_.empty()}),
        counts_(names_of_categories(annotations),
                static_cast<std::int64_t>(annotations.images().size()), &task.memory) {}

  void add(const Sample& sample, std::span<const NamedTensor> outputs) override;
  MetricResult result() const override;
  Json state() const override { return counts_.state(); }

 private:
  void match_names();
  void check_class_count() const;
  std::int64_t category_of(std::int64_t number) const;
  Box to_image(const Box& box, const SampleImage& image, const CocoImage& truth) const;
  void warn_of_size(const SampleImage& image, const CocoImage& truth);

  const CocoAnnotations& annotations_;
  const TaskContext& task_;
  std::vector<std::string> class_names_;
  std::vector<std::int64_t> named_categories_;  ///< by class number, if the names tell
  DetectionDecoder decoder_;
  DetectionState counts_;
  bool has_warned_of_size_ = false;
};

/// Uses the model's names when each annotated category has one.
void DetectionMetric::match_names() {
  if (class_names_.empty() || !named_categories_.empty()) return;
  std::set<std::int64_t> annotated;
  for (const CocoImage& image : annotations_.images()) {
    for (const CocoObject& object : image.objects) annotated.insert(object.category);
  }
  std::vector<std::int64_t> found;
  for (const std::string& name : class_names_) {
    const auto& known = annotations_.categories();
    const auto place = std::find_if(known.begin(), known.end(),
                                    [&](const CocoCategory& each) { return each.name == name; });
    found.push_back(place == known.end() ? -1 : place - known.begin());
    annotated.erase(found.back());
  }
  if (annotated.empty()) named_categories_ = std::move(found);
  class_names_.clear();
}

void DetectionMetric::check_class_count() const {
  const auto categories = static_cast<std::int64_t>(annotations_.categories().size());
  const std::int64_t classes = decoder_.class_count();
  if (classes == 0 || classes == categories || !named_categories_.empty() ||
      decoder_.options().classes == ClassNumbers::ids || decoder_.options().first_class != 0)
    return;
  throw Error(ErrorCode::invalid,
              format("the model scores {} classes as {}, but the annotations have {} categories",
                     classes, name_of(decoder_.options().layout), categories),
              format("{} {},classes:ids takes class numbers as category ids, classes:N as numbers "
                     "from N on in the order of the ids; other layouts are {}",
                     setting_name("detections"), name_of(decoder_.options().layout),
                     list_names(detection_layout_names())))
      .with_id("data.output");
}

std::int64_t DetectionMetric::category_of(std::int64_t number) const {
  const auto count = static_cast<std::int64_t>(annotations_.categories().size());
  if (!named_categories_.empty()) {
    const auto names = static_cast<std::int64_t>(named_categories_.size());
    return number >= 0 && number < names ? named_categories_[static_cast<std::size_t>(number)] : -1;
  }
  if (decoder_.options().classes == ClassNumbers::ids) return annotations_.category_index(number);
  const std::int64_t index = number - decoder_.options().first_class;
  return index >= 0 && index < count ? index : -1;
}

/// The box in pixels of the annotated image; YOLO's evaluation clips boxes to it.
Box DetectionMetric::to_image(const Box& box, const SampleImage& image,
                              const CocoImage& truth) const {
  const ImagePlacement& placement = image.placement;
  double x1 = (box.x - placement.offset_x) / placement.scale_x;
  double y1 = (box.y - placement.offset_y) / placement.scale_y;
  double x2 = (box.x + box.width - placement.offset_x) / placement.scale_x;
  double y2 = (box.y + box.height - placement.offset_y) / placement.scale_y;
  const auto width = static_cast<double>(image.size.width);
  const auto height = static_cast<double>(image.size.height);
  const DetectionLayout layout = decoder_.options().layout;
  if (layout == DetectionLayout::yolov5 || layout == DetectionLayout::yolov8 ||
      layout == DetectionLayout::end_to_end) {
    x1 = std::clamp(x1, 0.0, width);
    x2 = std::clamp(x2, 0.0, width);
    y1 = std::clamp(y1, 0.0, height);
    y2 = std::clamp(y2, 0.0, height);
  }
  const double to_x = truth.width > 0 ? static_cast<double>(truth.width) / width : 1;
  const double to_y = truth.height > 0 ? static_cast<double>(truth.height) / height : 1;
  return {x1 * to_x, y1 * to_y, (x2 - x1) * to_x, (y2 - y1) * to_y};
}

void DetectionMetric::warn_of_size(const SampleImage& image, const CocoImage& truth) {
  const bool is_same = (truth.width == 0 || truth.width == image.size.width) &&
                       (truth.height == 0 || truth.height == image.size.height);
  if (is_same || has_warned_of_size_) return;
  has_warned_of_size_ = true;
  const std::string text = format(
      "{} has {}x{} pixels, its annotations are for {}x{}: boxes are scaled to the "
      "annotated size",
      quote(truth.file_name), image.size.width, image.size.height, truth.width, truth.height);
  task_.warn(text);
  counts_.set_first_warning(text);
}

void DetectionMetric::add(const Sample& sample, std::span<const NamedTensor> outputs) {
  if (!sample.image) {
    throw Error(ErrorCode::invalid, "is not an image file, by which annotations are found",
                format("{} map needs a data set of images", setting_name("metric")))
        .with_id("data.annotations");
  }
  const SampleImage& image = *sample.image;
  const CocoImage& truth = annotations_.image_of(image.path);
  if (!counts_.see_image(truth.id)) {
    throw Error(ErrorCode::invalid,
                format("two samples have the annotations of {}", quote(truth.file_name)),
                "each image may occur once")
        .with_id("data.annotations");
  }
  warn_of_size(image, truth);
  std::vector<Detection> found = decoder_.decode(outputs, image.input_size);
  if (decoder_.options().classes == ClassNumbers::order && decoder_.options().first_class == 0)
    match_names();
  check_class_count();
  std::vector<Detection> known;
  for (Detection& each : found) {
    counts_.see_detection(std::max(each.box.x + each.box.width, each.box.y + each.box.height));
    const std::int64_t category = category_of(each.category);
    if (category < 0) {
      counts_.see_unknown(each.category);
      continue;
    }
    known.push_back({to_image(each.box, image, truth), each.score, category});
  }
  const DetectionOptions& options = decoder_.options();
  counts_.read_as({std::string(name_of(options.layout)), options.min_score.value_or(0),
                   options.max_iou, options.are_normalized.value_or(false)});
  counts_.precision().add_image(truth.id, truth.objects, known);
}

MetricResult DetectionMetric::result() const {
  counts_.warn_of_suspicious_outputs(task_);
  return counts_.result();
}

}  // namespace

std::unique_ptr<OutputMetric> make_detection_metric(const CocoAnnotations& annotations,
                                                    const DetectionOptions& options,
                                                    std::vector<std::string> class_names,
                                                    const TaskContext& task) {
  return std::make_unique<DetectionMetric>(annotations, options, std::move(class_names), task);
}

std::vector<std::string> class_names_in(const Metadata& metadata) {
  constexpr std::size_t max_classes = 100000;
  std::map<std::size_t, std::string> names;
  for (const auto& [key, text] : metadata) {
    if (key != "names") continue;
    std::size_t at = 0;
    while (at < text.size() && names.size() < max_classes) {
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      std::size_t number = 0;
      for (at = digit; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        number = std::min(number * 10 + static_cast<std::size_t>(text[at] - '0'), max_classes);
      const std::size_t quote_mark = text.find_first_of("'\"", at);
      if (quote_mark == std::string::npos) break;
      const std::size_t end = text.find(text[quote_mark], quote_mark + 1);
      if (end == std::string::npos) break;
      names[number] = text.substr(quote_mark + 1, end - quote_mark - 1);
      at = end + 1;
    }
  }
  std::vector<std::string> result;
  for (const auto& [number, name] : names) {
    if (number != result.size()) return {};
    result.push_back(name);
  }
  return result;
}

}  // namespace ortool
