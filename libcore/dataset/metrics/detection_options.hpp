// Detection options: the output layout of a detector, and how its outputs become detections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

enum class DetectionLayout {
  automatic,
  yolov5,       ///< [1,N,5+C]: center, size, objectness, class scores
  yolov8,       ///< [1,4+C,N] or [1,N,4+C]: center, size, class scores
  end_to_end,   ///< [1,N,6]: corners, score, class
  box_scores,   ///< boxes [1,N,4] and class scores [1,N,C], or [1,N,1+C] with a background
  torchvision,  ///< boxes [N,4], scores [N], and labels [N] if there are several categories
  tensorflow,   ///< detection_boxes, detection_scores, detection_classes, num_detections
  detr,         ///< logits [1,N,C] and pred_boxes [1,N,4]
};

std::string_view name_of(DetectionLayout layout);
/// All but `automatic`.
std::vector<std::string_view> detection_layout_names();

/// What the class numbers of a detector are.
enum class ClassNumbers {
  automatic,
  ids,    ///< the ids of the annotations' categories
  order,  ///< positions in the order of the ids, from `first_class` on
};

/// Options such as `yolov8,score:0.001,iou:0.7,boxes:normalized,classes:ids`. What is not set
/// follows from the layout.
struct DetectionOptions {
  DetectionLayout layout = DetectionLayout::automatic;
  std::optional<double> min_score;
  std::optional<double> max_iou;  ///< of two detections of a class, for non-maximum suppression
  std::optional<std::int64_t> max_count;  ///< detections per image
  std::optional<bool> are_normalized;     ///< boxes in 0 to 1 in place of pixels of the input
  std::optional<bool> has_softmax;        ///< of the logits; otherwise a sigmoid
  ClassNumbers classes = ClassNumbers::automatic;
  std::int64_t first_class = 0;
};

/// Throws ErrorCode::invalid for an unknown layout or key (with the closest one), or a value that
/// the key does not take.
DetectionOptions parse_detection_options(std::string_view text);

}  // namespace ortool
