// Detection decoder: reads boxes and scores by layout.
#include "libcore/dataset/metrics/detection_decoder.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/dataset/metrics/suppress.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The most candidates that are compared with each other, as in Ultralytics' evaluation.
constexpr std::size_t max_candidates = 30000;
constexpr std::int64_t max_kept = 300;

Error wrong_shape(const Tensor& tensor, DetectionLayout layout, std::string_view expected) {
  Error error(ErrorCode::invalid,
              format("an output of layout {} is {}[{}] ({} expected)", name_of(layout),
                     name_of(tensor.type()), tensor.shape().to_string(), expected));
  error.with_id("data.output");
  return error;
}

/// The numbers of a tensor as rows of `columns`, without a batch of one.
class Rows {
 public:
  Rows(const Tensor& tensor, std::int64_t columns)
      : columns_(columns), values_(static_cast<std::size_t>(tensor.element_count())) {
    read_doubles(tensor, 0, values_);
  }
  std::int64_t count() const {
    return columns_ == 0 ? 0 : static_cast<std::int64_t>(values_.size()) / columns_;
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }

 private:
  std::int64_t columns_;
  std::vector<double> values_;
};

Box from_corners(double x1, double y1, double x2, double y2) {
  return {x1, y1, x2 - x1, y2 - y1};
}

Box from_center(double x, double y, double width, double height) {
  return {x - width / 2, y - height / 2, width, height};
}

Box scaled(const Box& box, const ImageSize& size) {
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  return {box.x * width, box.y * height, box.width * width, box.height * height};
}

/// The two dimensions of a tensor without its batch of one.
std::pair<std::int64_t, std::int64_t> table_of(const Tensor& tensor, DetectionLayout layout,
                                               std::string_view expected) {
  const Shape& shape = tensor.shape();
  const bool has_batch = shape.rank() == 3 && shape[0] == 1;
  if (shape.rank() != 2 && !has_batch) throw wrong_shape(tensor, layout, expected);
  return {shape[shape.rank() - 2], shape[shape.rank() - 1]};
}

void check_rows(const Tensor& tensor, DetectionLayout layout, std::int64_t rows,
                std::int64_t columns) {
  if (tensor.element_count() == rows * columns && is_arithmetic(tensor.type())) return;
  throw wrong_shape(tensor, layout,
                    columns == 1 ? format("{} numbers", rows) : format("{}x{}", rows, columns));
}

/// A class number that an output holds as a float; -1 for what is none.
std::int64_t class_number(double value) {
  constexpr double most = 1e9;
  return std::fabs(value) < most ? static_cast<std::int64_t>(std::nearbyint(value)) : -1;
}

std::vector<Detection> best_first(std::vector<Detection> detections, std::size_t most) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (detections.size() > most) detections.resize(most);
  return detections;
}

/// How an output of YOLO is laid out.
struct YoloTable {
  std::int64_t boxes = 0;
  std::int64_t attributes = 0;
  bool is_transposed = false;  ///< attributes come before boxes
};

YoloTable yolo_table(const DetectionOutputs& outputs, std::int64_t categories) {
  const bool is_v5 = outputs.layout == DetectionLayout::yolov5;
  const auto [first, last] =
      table_of(*outputs.boxes, outputs.layout, is_v5 ? "1xNx(5+C)" : "1x(4+C)xN");
  if (is_v5) return {first, last, false};
  const std::int64_t wanted = categories + 4 + outputs.mask_attributes;
  const bool is_transposed = first == wanted || (last != wanted && first < last);
  return is_transposed ? YoloTable{last, first, true} : YoloTable{first, last, false};
}

std::vector<Detection> decode_yolo(const DetectionOutputs& outputs, const YoloTable& table,
                                   double min_score) {
  std::vector<double> values(static_cast<std::size_t>(outputs.boxes->element_count()));
  read_doubles(*outputs.boxes, 0, values);
  const auto at = [&](std::int64_t box, std::int64_t attribute) {
    return values[static_cast<std::size_t>(
        table.is_transposed ? attribute * table.boxes + box : box * table.attributes + attribute)];
  };
  const bool has_objectness = outputs.layout == DetectionLayout::yolov5;
  const std::int64_t first_class = has_objectness ? 5 : 4;
  const std::int64_t end = table.attributes - outputs.mask_attributes;
  std::vector<Detection> found;
  for (std::int64_t box = 0; box < table.boxes; ++box) {
    const double objectness = has_objectness ? at(box, 4) : 1;
    if (!(objectness > min_score)) continue;
    const Box place = from_center(at(box, 0), at(box, 1), at(box, 2), at(box, 3));
    for (std::int64_t i = first_class; i < end; ++i) {
      const double score = at(box, i) * objectness;
      if (score > min_score) found.push_back({place, score, i - first_class});
    }
  }
  return found;
}

std::vector<Detection> decode_end_to_end(const DetectionOutputs& outputs, double min_score) {
  const auto [count, columns] = table_of(*outputs.boxes, outputs.layout, "1xNx6");
  if (columns != 6) throw wrong_shape(*outputs.boxes, outputs.layout, "1xNx6");
  const Rows rows(*outputs.boxes, columns);
  std::vector<Detection> found;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!(rows.at(i, 4) > min_score)) continue;
    found.push_back({from_corners(rows.at(i, 0), rows.at(i, 1), rows.at(i, 2), rows.at(i, 3)),
                     rows.at(i, 4), class_number(rows.at(i, 5))});
  }
  return found;
}

/// Classes before `first_class` are no category, such as a background.
std::vector<Detection> decode_box_scores(const DetectionOutputs& outputs, std::int64_t classes,
                                         std::int64_t first_class, double min_score) {
  const auto [count, columns] = table_of(*outputs.boxes, outputs.layout, "1xNx4");
  if (columns != 4) throw wrong_shape(*outputs.boxes, outputs.layout, "1xNx4");
  check_rows(*outputs.scores, outputs.layout, count, classes);
  const Rows boxes(*outputs.boxes, 4);
  const Rows scores(*outputs.scores, classes);
  std::vector<Detection> found;
  for (std::int64_t i = 0; i < count; ++i) {
    const Box box = from_corners(boxes.at(i, 0), boxes.at(i, 1), boxes.at(i, 2), boxes.at(i, 3));
    for (std::int64_t k = first_class; k < classes; ++k) {
      if (scores.at(i, k) > min_score) found.push_back({box, scores.at(i, k), k});
    }
  }
  return found;
}

/// Boxes, scores and labels of the same number, of torchvision or TensorFlow. Without labels every
/// detection has the class `only_class`.
std::vector<Detection> decode_labels(const DetectionOutputs& outputs, std::int64_t only_class,
                                     double min_score) {
  const auto [rows, columns] = table_of(*outputs.boxes, outputs.layout, "1xNx4");
  if (columns != 4) throw wrong_shape(*outputs.boxes, outputs.layout, "1xNx4");
  check_rows(*outputs.scores, outputs.layout, rows, 1);
  if (outputs.labels != nullptr) check_rows(*outputs.labels, outputs.layout, rows, 1);
  std::int64_t count = rows;
  if (outputs.count != nullptr && outputs.count->element_count() == 1 &&
      is_arithmetic(outputs.count->type()))
    count = std::clamp<std::int64_t>(element_as_int64(*outputs.count, 0), 0, rows);
  const bool is_y_first = outputs.layout == DetectionLayout::tensorflow;
  const Rows boxes(*outputs.boxes, 4);
  const Rows scores(*outputs.scores, 1);
  std::vector<Detection> found;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!(scores.at(i, 0) > min_score)) continue;
    const Box box =
        is_y_first ? from_corners(boxes.at(i, 1), boxes.at(i, 0), boxes.at(i, 3), boxes.at(i, 2))
                   : from_corners(boxes.at(i, 0), boxes.at(i, 1), boxes.at(i, 2), boxes.at(i, 3));
    const std::int64_t label = outputs.labels == nullptr
                                   ? only_class
                                   : class_number(element_as_double(*outputs.labels, i));
    found.push_back({box, scores.at(i, 0), label});
  }
  return found;
}

/// With a softmax the last class is "no object", and a query has one class; with a sigmoid each
/// class counts.
std::vector<Detection> decode_detr(const DetectionOutputs& outputs, bool has_softmax,
                                   double min_score) {
  const auto [count, columns] = table_of(*outputs.boxes, outputs.layout, "1xNx4");
  const auto [rows, classes] = table_of(*outputs.scores, outputs.layout, "1xNxC");
  if (columns != 4 || rows != count) throw wrong_shape(*outputs.boxes, outputs.layout, "1xNx4");
  const Rows boxes(*outputs.boxes, 4);
  const Rows logits(*outputs.scores, classes);
  std::vector<Detection> found;
  for (std::int64_t i = 0; i < count; ++i) {
    const Box box = from_center(boxes.at(i, 0), boxes.at(i, 1), boxes.at(i, 2), boxes.at(i, 3));
    if (!has_softmax) {
      for (std::int64_t k = 0; k < classes; ++k) {
        const double score = 1 / (1 + std::exp(-logits.at(i, k)));
        if (score > min_score) found.push_back({box, score, k});
      }
      continue;
    }
    std::int64_t best = 0;
    double largest = logits.at(i, classes - 1);
    for (std::int64_t k = 0; k + 1 < classes; ++k) {
      largest = std::max(largest, logits.at(i, k));
      if (logits.at(i, k) > logits.at(i, best)) best = k;
    }
    double sum = 0;
    for (std::int64_t k = 0; k < classes; ++k) sum += std::exp(logits.at(i, k) - largest);
    const double score = std::exp(logits.at(i, best) - largest) / sum;
    if (classes > 1 && score > min_score) found.push_back({box, score, best});
  }
  return found;
}

}  // namespace

bool DetectionDecoder::suppresses() const {
  return options_.layout == DetectionLayout::yolov5 || options_.layout == DetectionLayout::yolov8 ||
         options_.layout == DetectionLayout::box_scores;
}

void DetectionDecoder::complete_options(const DetectionOutputs& outputs) {
  options_.layout = outputs.layout;
  const bool is_detr = outputs.layout == DetectionLayout::detr;
  const bool has_ids = outputs.layout == DetectionLayout::torchvision ||
                       outputs.layout == DetectionLayout::tensorflow;
  if (!options_.min_score) options_.min_score = suppresses() ? 0.001 : 0.0;
  if (!options_.max_iou && suppresses())
    options_.max_iou = outputs.layout == DetectionLayout::yolov5 ? 0.6 : 0.7;
  if (!options_.max_count) options_.max_count = max_kept;
  if (!options_.are_normalized)
    options_.are_normalized = is_detr || outputs.layout == DetectionLayout::tensorflow;
  ClassNumbers classes = has_ids ? ClassNumbers::ids : ClassNumbers::order;
  if (is_detr) {
    const std::int64_t width = class_count_;
    const bool fits_order = width == categories_.count || width == categories_.count + 1;
    const bool fits_ids = width == categories_.last_id + 1 || width == categories_.last_id + 2;
    if (!options_.has_softmax)
      options_.has_softmax = width == categories_.count + 1 || width == categories_.last_id + 2;
    if (*options_.has_softmax) --class_count_;
    if (fits_ids && !fits_order) classes = ClassNumbers::ids;
  }
  // Detectors such as SSD score a background as their first class.
  if (outputs.layout == DetectionLayout::box_scores && class_count_ == categories_.count + 1 &&
      options_.classes == ClassNumbers::automatic && !categories_.are_named_by_model)
    options_.first_class = 1;
  if (options_.classes == ClassNumbers::automatic) options_.classes = classes;
  is_complete_ = true;
}

std::int64_t DetectionDecoder::only_class() const {
  return options_.classes == ClassNumbers::ids ? categories_.last_id : options_.first_class;
}

std::vector<Detection> DetectionDecoder::decode(std::span<const NamedTensor> outputs,
                                                const ImageSize& input_size) {
  const DetectionOutputs found = find_detection_outputs(outputs, options_.layout, categories_);
  YoloTable table;
  const bool is_yolo =
      found.layout == DetectionLayout::yolov5 || found.layout == DetectionLayout::yolov8;
  if (is_yolo) {
    table = yolo_table(found, categories_.count);
    class_count_ = table.attributes - found.mask_attributes -
                   (found.layout == DetectionLayout::yolov5 ? 5 : 4);
    if (class_count_ < 1) throw wrong_shape(*found.boxes, found.layout, "boxes and class scores");
  } else if (!is_complete_ && (found.layout == DetectionLayout::box_scores ||
                               found.layout == DetectionLayout::detr)) {
    class_count_ = table_of(*found.scores, found.layout, "1xNxC").second;
  }
  if (!is_complete_) complete_options(found);
  std::vector<Detection> result;
  const double min_score = *options_.min_score;
  switch (found.layout) {
    case DetectionLayout::end_to_end:
      result = decode_end_to_end(found, min_score);
      break;
    case DetectionLayout::box_scores:
      result = decode_box_scores(found, class_count_,
                                 std::max<std::int64_t>(options_.first_class, 0), min_score);
      break;
    case DetectionLayout::torchvision:
    case DetectionLayout::tensorflow:
      result = decode_labels(found, only_class(), min_score);
      break;
    case DetectionLayout::detr:
      result = decode_detr(found, *options_.has_softmax, min_score);
      break;
    default:
      result = decode_yolo(found, table, min_score);
  }
  if (*options_.are_normalized) {
    for (Detection& each : result) each.box = scaled(each.box, input_size);
  }
  const auto most = static_cast<std::size_t>(*options_.max_count);
  if (!suppresses()) return best_first(std::move(result), most);
  return suppress_overlaps(best_first(std::move(result), max_candidates), *options_.max_iou, most);
}

}  // namespace ortool
