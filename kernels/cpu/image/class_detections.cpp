// Detections: candidates by descending score are compared with the boxes kept so far.
#include "kernels/cpu/image/class_detections.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {
namespace {

/// Candidates of all classes that are compared with each other.
constexpr std::int64_t most_joint_candidates = 4096;

struct Box {
  float low[2];
  float high[2];
};

Box ordered(const float* corners) {
  return {{std::min(corners[0], corners[2]), std::min(corners[1], corners[3])},
          {std::max(corners[0], corners[2]), std::max(corners[1], corners[3])}};
}

/// The intersection over union; `pixel` is what the sides of an intersection gain because boxes
/// contain their last pixels, and `side` what those of a box do.
float overlap_of(const Box& a, const Box& b, float pixel, float side) {
  float shared[2] = {0, 0};
  if (a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] &&
      b.low[1] <= a.high[1]) {
    for (int axis = 0; axis < 2; ++axis)
      shared[axis] = std::min(a.high[axis], b.high[axis]) - std::max(a.low[axis], b.low[axis]);
  }
  const float width = shared[0] + pixel;
  const float height = shared[1] + pixel;
  if (!(width > 0.0F && height > 0.0F)) return 0;
  const auto area = [side](const Box& box) {
    return (box.high[0] - box.low[0] + side) * (box.high[1] - box.low[1] + side);
  };
  const float intersection = width * height;
  const float joined = area(a) + area(b) - intersection;
  return joined > 0.0F ? intersection / joined : 0.0F;
}

/// A heap of candidates, given by the indices of their scores: the best first, and of equals the
/// lower index.
class CandidateHeap {
 public:
  CandidateHeap(std::span<std::int32_t> candidates, const float* scores)
      : candidates_(candidates), scores_(scores) {
    std::make_heap(candidates_.begin(), candidates_.end(), Worse{scores_});
  }
  bool is_empty() const { return candidates_.empty(); }
  std::int32_t pop() {
    std::pop_heap(candidates_.begin(), candidates_.end(), Worse{scores_});
    const std::int32_t best = candidates_.back();
    candidates_ = candidates_.first(candidates_.size() - 1);
    return best;
  }

 private:
  struct Worse {
    const float* scores;
    bool operator()(std::int32_t a, std::int32_t b) const {
      return scores[a] != scores[b] ? scores[a] < scores[b] : a > b;
    }
  };

  std::span<std::int32_t> candidates_;
  const float* scores_;
};

/// The corners of a box, with the anchor that it refines (may be null).
void decode_box(bool center_and_size, const float* box, const float* anchor, float* corners) {
  if (!center_and_size) {
    if (anchor == nullptr) {
      std::copy(box, box + 4, corners);
      return;
    }
    const Box moved = ordered(box);
    const Box base = ordered(anchor);
    for (int axis = 0; axis < 2; ++axis) {
      corners[axis] = moved.low[axis] + base.low[axis];
      corners[axis + 2] = moved.high[axis] + base.high[axis];
    }
    return;
  }
  for (int axis = 0; axis < 2; ++axis) {
    float center = box[axis];
    float size = box[axis + 2];
    if (anchor != nullptr) {
      center = center * anchor[axis + 2] + anchor[axis];
      size = anchor[axis + 2] * std::exp(size);
    }
    const float half = size * 0.5F;
    corners[axis] = center - half;
    corners[axis + 2] = center + half;
  }
}

float score_limit(const JointDetectionRules& rules) {
  if (!rules.applies_sigmoid) return rules.score_threshold;
  if (rules.score_threshold <= 0.0F) return -32768.0F;
  return std::log(rules.score_threshold / (1.0F - rules.score_threshold));
}

std::int64_t find_in_image(const DetectionSizes& sizes, const JointDetectionRules& rules,
                           const float* boxes, const float* scores, const float* anchors,
                           Detection* found, std::int32_t* candidates, const Workers& workers) {
  const float limit = score_limit(rules);
  std::size_t count = 0;
  for (std::int64_t i = 0; i < sizes.scores(); ++i) {
    if (!(scores[i] >= limit)) continue;
    if (rules.background >= 0 && i % sizes.classes == rules.background) continue;
    candidates[count++] = static_cast<std::int32_t>(i);
  }
  CandidateHeap heap({candidates, count}, scores);
  std::int64_t kept = 0;
  for (std::int64_t seen = 0; seen < most_joint_candidates && kept < sizes.most; ++seen) {
    if (heap.is_empty()) break;
    if (seen % 16 == 0) workers.poll();
    const std::int32_t candidate = heap.pop();
    Detection& next = found[kept];
    next.box = static_cast<std::int32_t>(candidate / sizes.classes);
    next.kind = static_cast<std::int32_t>(candidate % sizes.classes);
    next.score = scores[candidate];
    decode_box(rules.center_and_size, boxes + (sizes.has_class_boxes ? candidate : next.box) * 4,
               anchors == nullptr ? nullptr : anchors + std::ptrdiff_t{next.box} * 4, next.corners);
    const Box box = ordered(next.corners);
    const bool is_dropped = std::any_of(found, found + kept, [&](const Detection& better) {
      return (rules.ignores_classes || better.kind == next.kind) &&
             overlap_of(ordered(better.corners), box, 0, 0) >= rules.iou_threshold;
    });
    if (!is_dropped) ++kept;
  }
  if (rules.applies_sigmoid) {
    for (std::int64_t i = 0; i < kept; ++i)
      found[i].score = 1.0F / (1.0F + std::exp(-found[i].score));
  }
  return kept;
}

/// Scratch memory of an image: candidates by class, then how many of them were kept.
struct ClassWorkspace {
  std::int32_t* candidates;
  std::int32_t* kept;

  ClassWorkspace(const DetectionSizes& sizes, void* workspace, std::int64_t image)
      : candidates(static_cast<std::int32_t*>(workspace) +
                   image * (sizes.scores() + sizes.classes)),
        kept(candidates + sizes.scores()) {}
};

class ClassSearch {
 public:
  ClassSearch(const DetectionSizes& sizes, const ClassDetectionRules& rules, const float* boxes,
              const float* scores)
      : sizes_(sizes), rules_(rules), boxes_(boxes), scores_(scores) {}

  /// Writes the kept candidates of a class to the front of `candidates`; returns their number.
  std::int32_t search_class(std::int64_t kind, std::int32_t* candidates,
                            const Workers& workers) const {
    if (kind == rules_.background) return 0;
    std::size_t count = 0;
    for (std::int64_t i = 0; i < sizes_.boxes; ++i) {
      const std::int64_t index = i * sizes_.classes + kind;
      if (scores_[index] > rules_.score_threshold)
        candidates[count++] = static_cast<std::int32_t>(index);
    }
    const auto size = static_cast<float>(rules_.is_normalized ? 0 : 1);
    const auto pixel = rules_.counts_last_pixels ? size : 0.0F;
    // Kept candidates are moved to the end, which the heap gives up first, and then to the front.
    CandidateHeap heap({candidates, count}, scores_);
    std::size_t first_kept = count;
    for (std::int64_t seen = 0; seen < rules_.most_of_class && !heap.is_empty(); ++seen) {
      if (seen % 16 == 0) workers.poll();
      const std::int32_t candidate = heap.pop();
      const Box box = ordered(corners_of(candidate));
      const bool is_dropped =
          std::any_of(candidates + first_kept, candidates + count, [&](std::int32_t better) {
            return overlap_of(ordered(corners_of(better)), box, pixel, size) >
                   rules_.iou_threshold;
          });
      if (!is_dropped) candidates[--first_kept] = candidate;
    }
    std::reverse(candidates + first_kept, candidates + count);
    std::copy(candidates + first_kept, candidates + count, candidates);
    return static_cast<std::int32_t>(count - first_kept);
  }

  Detection detection(std::int32_t candidate) const {
    Detection result = {};
    result.box = static_cast<std::int32_t>(candidate / sizes_.classes);
    result.kind = static_cast<std::int32_t>(candidate % sizes_.classes);
    result.score = scores_[candidate];
    std::copy(corners_of(candidate), corners_of(candidate) + 4, result.corners);
    return result;
  }
  /// Whether one kept candidate comes before another one in the image's list.
  bool precedes(std::int32_t a, std::int32_t b) const {
    if (scores_[a] != scores_[b]) return scores_[a] > scores_[b];
    return std::pair(a % sizes_.classes, a) < std::pair(b % sizes_.classes, b);
  }

 private:
  const float* corners_of(std::int32_t candidate) const {
    return boxes_ + (sizes_.has_class_boxes ? candidate : candidate / sizes_.classes) * 4;
  }

  const DetectionSizes& sizes_;
  const ClassDetectionRules& rules_;
  const float* boxes_;
  const float* scores_;
};

std::int64_t boxes_of_image(const DetectionSizes& sizes) {
  return (sizes.has_class_boxes ? sizes.scores() : sizes.boxes) * 4;
}

}  // namespace

std::int64_t detection_workspace_bytes(const DetectionSizes& sizes) {
  constexpr std::int64_t bytes = sizeof(std::int32_t);
  return multiply_sizes(multiply_sizes(sizes.batch, sizes.scores() + sizes.classes), bytes);
}

void find_joint_detections(const DetectionSizes& sizes, const JointDetectionRules& rules,
                           const float* boxes, const float* scores, const float* anchors,
                           Detection* found, std::int64_t* counts, void* workspace,
                           Workers& workers) {
  workers.parallel_for(sizes.batch, [&](std::int64_t image) {
    const ClassWorkspace memory(sizes, workspace, image);
    const float* refined = anchors;
    if (anchors != nullptr && !rules.shares_anchors) refined = anchors + image * sizes.boxes * 4;
    counts[image] =
        find_in_image(sizes, rules, boxes + image * boxes_of_image(sizes),
                      scores + image * sizes.scores(), refined, found + image * sizes.most,
                      memory.candidates, workers);
  });
}

void find_class_detections(const DetectionSizes& sizes, const ClassDetectionRules& rules,
                           const float* boxes, const float* scores, Detection* found,
                           std::int64_t* counts, void* workspace, Workers& workers) {
  const auto search_of = [&](std::int64_t image) {
    return ClassSearch(sizes, rules, boxes + image * boxes_of_image(sizes),
                       scores + image * sizes.scores());
  };
  workers.parallel_for(sizes.batch * sizes.classes, [&](std::int64_t task) {
    const std::int64_t kind = task % sizes.classes;
    const ClassWorkspace memory(sizes, workspace, task / sizes.classes);
    memory.kept[kind] = search_of(task / sizes.classes)
                            .search_class(kind, memory.candidates + kind * sizes.boxes, workers);
  });
  workers.parallel_for(sizes.batch, [&](std::int64_t image) {
    const ClassWorkspace memory(sizes, workspace, image);
    const ClassSearch search = search_of(image);
    std::int32_t* end = memory.candidates;
    for (std::int64_t kind = 0; kind < sizes.classes; ++kind) {
      const std::int32_t* kept = memory.candidates + kind * sizes.boxes;
      end = std::copy(kept, kept + memory.kept[kind], end);
    }
    const std::int64_t count = std::min<std::int64_t>(end - memory.candidates, sizes.most);
    std::partial_sort(memory.candidates, memory.candidates + count, end,
                      [&](std::int32_t a, std::int32_t b) { return search.precedes(a, b); });
    for (std::int64_t i = 0; i < count; ++i)
      found[image * sizes.most + i] = search.detection(memory.candidates[i]);
    counts[image] = count;
  });
}

}  // namespace ortool::cpu
