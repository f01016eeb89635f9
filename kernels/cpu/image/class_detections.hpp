// Detections: non-maximum suppression over boxes and class scores with a fixed number of results.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct DetectionSizes {
  std::int64_t batch = 0;
  std::int64_t boxes = 0;
  std::int64_t classes = 0;
  bool has_class_boxes = false;  ///< boxes are [N, B, C, 4] rather than [N, B, 4]
  std::int64_t most = 0;         ///< detections of an image

  std::int64_t scores() const { return boxes * classes; }
};

/// How all classes are searched together (TensorRT's EfficientNMS).
struct JointDetectionRules {
  float score_threshold = 0;  ///< scores reach it
  float iou_threshold = 0;    ///< a box whose overlap reaches it is dropped
  std::int64_t background = -1;
  bool applies_sigmoid = false;
  bool ignores_classes = false;
  bool center_and_size = false;
  bool shares_anchors = false;  ///< one list of anchors for all images
};

/// How each class is searched alone (TensorRT's BatchedNMS).
struct ClassDetectionRules {
  float score_threshold = 0;  ///< scores are above it
  float iou_threshold = 0;    ///< a box whose overlap is above it is dropped
  std::int64_t most_of_class = 0;
  std::int64_t background = -1;
  bool is_normalized = true;
  bool counts_last_pixels = true;
};

/// One detection of an image.
struct Detection {
  std::int32_t box;     ///< index of the box
  std::int32_t kind;    ///< its class
  float score;
  float corners[4];
};

/// Bytes of workspace for either function; scores of an image must number below 2^31.
std::int64_t detection_workspace_bytes(const DetectionSizes& sizes);

/// The detections of each image, best first, in `found` [N, most], and their numbers in `counts`
/// [N]. Of equal scores, the lower box wins, then the lower class. `anchors` may be null.
void find_joint_detections(const DetectionSizes& sizes, const JointDetectionRules& rules,
                           const float* boxes, const float* scores, const float* anchors,
                           Detection* found, std::int64_t* counts, void* workspace,
                           Workers& workers);
/// The same; of equal scores, the lower class wins, then the lower box.
void find_class_detections(const DetectionSizes& sizes, const ClassDetectionRules& rules,
                           const float* boxes, const float* scores, Detection* found,
                           std::int64_t* counts, void* workspace, Workers& workers);

}  // namespace ortool::cpu
