// Detection outputs, recognized by their names and shapes.
#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/metrics/detection_decoder.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Boxes of an end-to-end detector; more rows are those of a YOLOv5 with one class.
constexpr std::int64_t max_end_to_end_rows = 1000;
/// A box and the score of one class.
constexpr std::int64_t fewest_attributes = 5;

bool is_float(const Tensor& tensor) {
  return is_floating_point(tensor.type());
}

/// The dimensions without a batch of one: {8400, 85} for [1,8400,85] where `rank` is 2.
std::vector<std::int64_t> inner_shape(const Tensor& tensor, std::int64_t rank) {
  const Shape& shape = tensor.shape();
  if (shape.rank() == rank) return {shape.begin(), shape.end()};
  if (shape.rank() == rank + 1 && shape[0] == 1) return {shape.begin() + 1, shape.end()};
  return {};
}

class OutputFinder {
 public:
  OutputFinder(std::span<const NamedTensor> outputs, const CategoryRange& categories)
      : outputs_(outputs), categories_(categories) {}

  /// Whether the outputs have the layout; fills in `found`.
  bool find(DetectionLayout layout, DetectionOutputs& found) const;

 private:
  const Tensor* starting_with(std::string_view name) const;
  bool find_tensorflow(DetectionOutputs& found) const;
  bool find_detr(DetectionOutputs& found) const;
  bool find_torchvision(DetectionOutputs& found) const;
  bool find_box_scores(DetectionOutputs& found) const;
  bool find_single(DetectionLayout layout, DetectionOutputs& found) const;
  bool fits_single(DetectionLayout layout, const std::vector<std::int64_t>& shape,
                   std::int64_t masks) const;
  /// The channels of the prototype masks of a segmentation model, or 0.
  std::int64_t mask_channels() const;

  std::span<const NamedTensor> outputs_;
  CategoryRange categories_;
};

const Tensor* OutputFinder::starting_with(std::string_view name) const {
  for (const NamedTensor& output : outputs_) {
    if (output.name.starts_with(name)) return output.tensor;
  }
  return nullptr;
}

bool OutputFinder::find_tensorflow(DetectionOutputs& found) const {
  found.boxes = starting_with("detection_boxes");
  found.scores = starting_with("detection_scores");
  found.labels = starting_with("detection_classes");
  found.count = starting_with("num_detections");
  return found.boxes != nullptr && found.scores != nullptr && found.labels != nullptr;
}

bool OutputFinder::find_detr(DetectionOutputs& found) const {
  found.boxes = starting_with("pred_boxes");
  found.scores = starting_with("logits");
  if (found.scores == nullptr) found.scores = starting_with("pred_logits");
  return found.boxes != nullptr && found.scores != nullptr;
}

bool OutputFinder::find_torchvision(DetectionOutputs& found) const {
  for (const NamedTensor& each : outputs_) {
    const auto shape = inner_shape(*each.tensor, 2);
    if (found.boxes == nullptr && is_float(*each.tensor) && shape.size() == 2 && shape[1] == 4)
      found.boxes = each.tensor;
  }
  if (found.boxes == nullptr) return false;
  const std::int64_t count = inner_shape(*found.boxes, 2)[0];
  for (const NamedTensor& each : outputs_) {
    if (each.tensor == found.boxes || inner_shape(*each.tensor, 1).size() != 1 ||
        each.tensor->element_count() != count ||
        each.tensor->shape().rank() + 1 != found.boxes->shape().rank())
      continue;
    const bool is_label = is_integer(each.tensor->type()) ||
                          each.name.find("label") != std::string::npos ||
                          each.name.find("class") != std::string::npos;
    const Tensor*& part = is_label ? found.labels : found.scores;
    if (part == nullptr) part = each.tensor;
  }
  const bool has_classes = found.labels != nullptr || categories_.count == 1;
  return found.scores != nullptr && has_classes && is_float(*found.scores);
}

bool OutputFinder::find_box_scores(DetectionOutputs& found) const {
  for (const NamedTensor& each : outputs_) {
    const auto shape = inner_shape(*each.tensor, 2);
    if (!is_float(*each.tensor) || shape.size() != 2) continue;
    const bool has_scores_name = each.name.find("score") != std::string::npos;
    if (found.boxes == nullptr && shape[1] == 4 && !has_scores_name) {
      found.boxes = each.tensor;
    } else if (found.scores == nullptr) {
      found.scores = each.tensor;
    }
  }
  return found.boxes != nullptr && found.scores != nullptr &&
         inner_shape(*found.boxes, 2)[0] == inner_shape(*found.scores, 2)[0];
}

std::int64_t OutputFinder::mask_channels() const {
  for (const NamedTensor& each : outputs_) {
    if (is_float(*each.tensor) && each.tensor->shape().rank() == 4) return each.tensor->shape()[1];
  }
  return 0;
}

bool OutputFinder::fits_single(DetectionLayout layout, const std::vector<std::int64_t>& shape,
                               std::int64_t masks) const {
  const std::int64_t rows = shape[0];
  const std::int64_t columns = shape[1];
  const std::int64_t classes = categories_.count;
  const bool is_end_to_end = columns == 6 && rows <= max_end_to_end_rows;
  if (layout == DetectionLayout::end_to_end) return is_end_to_end;
  if (is_end_to_end) return false;
  const std::int64_t attributes = classes + 4 + masks;
  if (std::min(rows, columns) < fewest_attributes) return false;
  if (rows == attributes || columns == attributes) return layout == DetectionLayout::yolov8;
  if (columns == classes + 5) return layout == DetectionLayout::yolov5;
  return layout == (rows < columns ? DetectionLayout::yolov8 : DetectionLayout::yolov5);
}

bool OutputFinder::find_single(DetectionLayout layout, DetectionOutputs& found) const {
  const std::int64_t masks = mask_channels();
  for (const NamedTensor& each : outputs_) {
    const auto shape = inner_shape(*each.tensor, 2);
    const bool is_row = each.tensor->shape().rank() == 2 && shape[0] == 1;
    if (!is_float(*each.tensor) || shape.size() != 2 || is_row ||
        !fits_single(layout, shape, masks))
      continue;
    found.boxes = each.tensor;
    found.mask_attributes = layout == DetectionLayout::yolov8 ? masks : 0;
    return true;
  }
  return false;
}

bool OutputFinder::find(DetectionLayout layout, DetectionOutputs& found) const {
  found = {layout};
  switch (layout) {
    case DetectionLayout::tensorflow:
      return find_tensorflow(found);
    case DetectionLayout::detr:
      return find_detr(found);
    case DetectionLayout::torchvision:
      return find_torchvision(found);
    case DetectionLayout::box_scores:
      return find_box_scores(found);
    default:
      return find_single(layout, found);
  }
}

std::string describe_outputs(std::span<const NamedTensor> outputs) {
  std::vector<std::string> list;
  for (const NamedTensor& each : outputs) {
    list.push_back(format("{} {}[{}]", shorten(each.name), name_of(each.tensor->type()),
                          each.tensor->shape().to_string()));
  }
  return list_names(list);
}

}  // namespace

DetectionOutputs find_detection_outputs(std::span<const NamedTensor> outputs,
                                        DetectionLayout layout, const CategoryRange& categories) {
  const OutputFinder finder(outputs, categories);
  DetectionOutputs found;
  if (layout != DetectionLayout::automatic) {
    if (finder.find(layout, found)) return found;
    // The layout was named, so that sizes which look like another do not matter.
    const auto shape =
        outputs.empty() ? std::vector<std::int64_t>() : inner_shape(*outputs.front().tensor, 2);
    const bool is_single = layout == DetectionLayout::yolov5 || layout == DetectionLayout::yolov8 ||
                           layout == DetectionLayout::end_to_end;
    if (is_single && shape.size() == 2 && is_float(*outputs.front().tensor)) {
      found.boxes = outputs.front().tensor;
      return found;
    }
  } else {
    for (const DetectionLayout each :
         {DetectionLayout::tensorflow, DetectionLayout::detr, DetectionLayout::torchvision,
          DetectionLayout::box_scores, DetectionLayout::end_to_end, DetectionLayout::yolov5,
          DetectionLayout::yolov8}) {
      if (finder.find(each, found)) return found;
    }
  }
  throw Error(ErrorCode::invalid,
              layout == DetectionLayout::automatic
                  ? format("the outputs have none of the layouts of detectors ({})",
                           describe_outputs(outputs))
                  : format("the outputs do not have the layout {} ({})", name_of(layout),
                           describe_outputs(outputs)),
              format("{} LAYOUT is one of {}; {} selects outputs", setting_name("detections"),
                     list_names(detection_layout_names()), setting_name("outputs")))
      .with_id("data.output");
}

}  // namespace ortool
