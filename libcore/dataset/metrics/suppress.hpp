// Non-maximum suppression (NMS): of overlapping detections of a class, the one of the best score.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/dataset/metrics/detection.hpp"

namespace ortool {

/// The `max_count` best detections in the order of their scores, without those that overlap a
/// better one of the same class by more than `max_iou`. Of equal scores the first counts.
std::vector<Detection> suppress_overlaps(std::vector<Detection> detections, double max_iou,
                                         std::size_t max_count);

}  // namespace ortool
