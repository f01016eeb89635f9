// Non-maximum suppression, greedy in the order of scores.
#include "libcore/dataset/metrics/suppress.hpp"

#include <algorithm>

namespace ortool {

std::vector<Detection> suppress_overlaps(std::vector<Detection> detections, double max_iou,
                                         std::size_t max_count) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  std::vector<Detection> kept;
  for (const Detection& each : detections) {
    if (kept.size() == max_count) break;
    const bool is_covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& better) {
      return better.category == each.category &&
             intersection_over_union(each.box, better.box, false) > max_iou;
    });
    if (!is_covered) kept.push_back(each);
  }
  return kept;
}

}  // namespace ortool
