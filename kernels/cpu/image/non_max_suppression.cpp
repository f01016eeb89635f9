// Non-maximum suppression: compares boxes, by descending score, with those kept so far.
#include "kernels/cpu/image/non_max_suppression.hpp"

#include <algorithm>

namespace ortool::cpu {
namespace {

struct Corners4 {
  float low[2];
  float high[2];
  float area;
};

Corners4 corners_of(const SuppressionRules& rules, const float* box) {
  Corners4 corners = {};
  for (int axis = 0; axis < 2; ++axis) {
    float a = box[axis];
    float b = box[axis + 2];
    if (rules.center_point_box) {
      const float half = b / 2.0F;
      b = a + half;
      a = a - half;
    }
    corners.low[axis] = std::min(a, b);
    corners.high[axis] = std::max(a, b);
  }
  corners.area = (corners.high[0] - corners.low[0]) * (corners.high[1] - corners.low[1]);
  return corners;
}

bool overlap_too_much(const Corners4& a, const Corners4& b, float limit) {
  const float height = std::min(a.high[0], b.high[0]) - std::max(a.low[0], b.low[0]);
  const float width = std::min(a.high[1], b.high[1]) - std::max(a.low[1], b.low[1]);
  if (!(height > 0.0F && width > 0.0F)) return false;
  if (!(a.area > 0.0F && b.area > 0.0F)) return false;
  const float shared = height * width;
  return shared / (a.area + b.area - shared) > limit;
}

}  // namespace

std::vector<std::int64_t> suppress_overlaps(const SuppressionRules& rules, std::int64_t count,
                                            const float* boxes, const float* scores,
                                            const Workers& workers) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!rules.lowest_score || scores[i] > *rules.lowest_score) order.push_back(i);
  }
  const auto is_worse = [&](std::int64_t a, std::int64_t b) {
    const bool a_is_number = scores[a] == scores[a];
    const bool b_is_number = scores[b] == scores[b];
    if (a_is_number != b_is_number) return b_is_number;
    if (a_is_number && scores[a] != scores[b]) return scores[a] < scores[b];
    return a > b;
  };
  // Often few boxes are wanted: a heap sorts only those that are visited.
  std::make_heap(order.begin(), order.end(), is_worse);
  std::vector<std::int64_t> kept;
  std::vector<Corners4> kept_corners;
  while (!order.empty() && static_cast<std::int64_t>(kept.size()) < rules.most) {
    workers.poll();
    std::pop_heap(order.begin(), order.end(), is_worse);
    const std::int64_t index = order.back();
    order.pop_back();
    const Corners4 corners = corners_of(rules, boxes + index * 4);
    const bool is_dropped = std::any_of(
        kept_corners.begin(), kept_corners.end(),
        [&](const Corners4& better) { return overlap_too_much(corners, better, rules.overlap); });
    if (is_dropped) continue;
    kept.push_back(index);
    kept_corners.push_back(corners);
  }
  return kept;
}

}  // namespace ortool::cpu
