// Average precision: the matching, accumulation and summary of pycocotools' COCOeval.
#include "libcore/dataset/metrics/average_precision.hpp"

#include <algorithm>
#include <limits>

namespace ortool {
namespace {

constexpr std::size_t recall_count = 101;
constexpr std::size_t area_all = 0;

struct AreaRange {
  double least;
  double most;
  bool excludes(double area) const { return area < least || area > most; }
};
constexpr std::array<AreaRange, AveragePrecision::area_count> area_ranges = {
    {{0, 1e10}, {0, 32.0 * 32}, {32.0 * 32, 96.0 * 96}, {96.0 * 96, 1e10}}};

/// The elements of numpy's linspace(0.5, 0.95, 10).
double iou_threshold(std::size_t index) {
  constexpr double first = 0.5;
  constexpr double last = 0.95;
  constexpr auto steps = static_cast<double>(AveragePrecision::threshold_count - 1);
  return index + 1 == AveragePrecision::threshold_count
             ? last
             : static_cast<double>(index) * ((last - first) / steps) + first;
}

/// The elements of numpy's linspace(0, 1, 101).
double recall_threshold(std::size_t index) {
  return index + 1 == recall_count ? 1 : static_cast<double>(index) * (1.0 / (recall_count - 1));
}

/// The objects of an image and category in one range of areas: those that count come first.
struct RangedObjects {
  std::vector<const CocoObject*> objects;
  std::size_t counting = 0;
  std::vector<std::size_t> places;  ///< of the objects in the original order
};

RangedObjects objects_in(const AreaRange& range, std::span<const CocoObject* const> objects) {
  RangedObjects result;
  for (const bool is_ignored : {false, true}) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if ((objects[i]->is_crowd || range.excludes(objects[i]->area)) != is_ignored) continue;
      result.objects.push_back(objects[i]);
      result.places.push_back(i);
    }
    if (!is_ignored) result.counting = result.objects.size();
  }
  return result;
}

/// The best object that is still free for a detection, or the number of objects. Objects that count
/// go before ignored ones.
std::size_t best_match(const RangedObjects& ranged, std::span<const double> ious, double threshold,
                       const std::vector<bool>& is_taken) {
  const std::size_t none = ranged.objects.size();
  std::size_t best = none;
  double best_iou = std::min(threshold, 1 - 1e-10);
  for (std::size_t i = 0; i < none; ++i) {
    if (is_taken[i] && !ranged.objects[i]->is_crowd) continue;
    if (best != none && best < ranged.counting && i >= ranged.counting) break;
    const double iou = ious[ranged.places[i]];
    if (iou < best_iou) continue;
    best_iou = iou;
    best = i;
  }
  return best;
}

std::optional<double> mean_of_present(double sum, std::int64_t count) {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

/// Precision at each IoU threshold and recall, and the recall reached.
struct AveragePrecision::Curve {
  std::array<double, threshold_count> precision = {};  ///< mean over the recalls
  std::array<double, threshold_count> recall = {};
};

AveragePrecision::AveragePrecision(std::int64_t categories, MemoryCap* cap)
    : cap_(cap), categories_(static_cast<std::size_t>(categories)) {}

AveragePrecision::~AveragePrecision() {
  if (cap_ != nullptr) cap_->give_back(taken_bytes_);
}

void AveragePrecision::add_category(Category& category, std::int64_t image,
                                    std::span<const CocoObject* const> objects,
                                    std::span<const Detection* const> detections) {
  std::vector<const Detection*> ranked(detections.begin(), detections.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Detection* a, const Detection* b) { return a->score > b->score; });
  ranked.resize(std::min(ranked.size(), max_detections));
  std::vector<double> ious;
  for (const Detection* each : ranked) {
    for (const CocoObject* object : objects)
      ious.push_back(intersection_over_union(each->box, object->box, object->is_crowd));
  }
  const std::size_t first = category.matches.size();
  for (std::size_t i = 0; i < ranked.size(); ++i)
    category.matches.push_back({ranked[i]->score, image, static_cast<std::uint16_t>(i), {}, {}});
  for (std::size_t area = 0; area < area_count; ++area) {
    const RangedObjects ranged = objects_in(area_ranges[area], objects);
    category.objects[area] += static_cast<std::int64_t>(ranged.counting);
    for (std::size_t threshold = 0; threshold < threshold_count; ++threshold) {
      std::vector<bool> is_taken(ranged.objects.size());
      const auto bit = static_cast<std::uint16_t>(1U << threshold);
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        Match& match = category.matches[first + i];
        const std::span<const double> row(ious.data() + i * objects.size(), objects.size());
        const std::size_t best = best_match(ranged, row, iou_threshold(threshold), is_taken);
        const bool is_matched = best < ranged.objects.size();
        if (is_matched) {
          is_taken[best] = true;
          match.matched[area] = static_cast<std::uint16_t>(match.matched[area] | bit);
        }
        if (is_matched ? best >= ranged.counting
                       : area_ranges[area].excludes(ranked[i]->box.area()))
          match.ignored[area] = static_cast<std::uint16_t>(match.ignored[area] | bit);
      }
    }
  }
}

void AveragePrecision::add_image(std::int64_t image, std::span<const CocoObject> objects,
                                 std::span<const Detection> detections) {
  if (cap_ != nullptr) {
    const auto bytes = static_cast<std::int64_t>(2 * sizeof(Match) * detections.size());
    cap_->take(bytes, "the detections of a data set");
    taken_bytes_ += bytes;
  }
  std::vector<std::vector<const CocoObject*>> truths(categories_.size());
  std::vector<std::vector<const Detection*>> found(categories_.size());
  for (const CocoObject& each : objects)
    truths[static_cast<std::size_t>(each.category)].push_back(&each);
  for (const Detection& each : detections)
    found[static_cast<std::size_t>(each.category)].push_back(&each);
  for (std::size_t i = 0; i < categories_.size(); ++i) {
    if (truths[i].empty() && found[i].empty()) continue;
    add_category(categories_[i], image, truths[i], found[i]);
  }
}

AveragePrecision::Curve AveragePrecision::curve_of(const Category& category,
                                                   std::span<const Match> sorted, std::size_t area,
                                                   std::size_t most) {
  Curve curve;
  const auto objects = static_cast<double>(category.objects[area]);
  std::vector<double> recalls;
  std::vector<double> precisions;
  for (std::size_t threshold = 0; threshold < threshold_count; ++threshold) {
    recalls.clear();
    precisions.clear();
    double right = 0;
    double wrong = 0;
    for (const Match& match : sorted) {
      if (match.rank >= most) continue;
      const bool is_ignored = (unsigned{match.ignored[area]} >> threshold & 1U) != 0;
      const bool is_matched = (unsigned{match.matched[area]} >> threshold & 1U) != 0;
      if (!is_ignored) (is_matched ? right : wrong) += 1;
      recalls.push_back(right / objects);
      precisions.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
    }
    if (recalls.empty()) continue;
    curve.recall[threshold] = recalls.back();
    for (std::size_t i = precisions.size() - 1; i > 0; --i)
      precisions[i - 1] = std::max(precisions[i - 1], precisions[i]);
    double sum = 0;
    for (std::size_t i = 0; i < recall_count; ++i) {
      const auto place = std::lower_bound(recalls.begin(), recalls.end(), recall_threshold(i));
      if (place == recalls.end()) break;
      sum += precisions[static_cast<std::size_t>(place - recalls.begin())];
    }
    curve.precision[threshold] = sum / static_cast<double>(recall_count);
  }
  return curve;
}

DetectionScores AveragePrecision::scores() const {
  struct Sums {
    double precision = 0;
    double at50 = 0;
    double at75 = 0;
    double recall = 0;
    std::int64_t categories = 0;
  };
  constexpr std::array<std::size_t, 3> limits = {1, 10, max_detections};
  constexpr std::size_t threshold_75 = 5;
  std::array<Sums, area_count> areas;
  std::array<double, limits.size()> limited = {};
  DetectionScores result;
  for (const Category& category : categories_) {
    std::vector<Match> sorted = category.matches;
    std::sort(sorted.begin(), sorted.end(), [](const Match& a, const Match& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.image != b.image ? a.image < b.image : a.rank < b.rank;
    });
    std::optional<double> own;
    for (std::size_t area = 0; area < area_count; ++area) {
      if (category.objects[area] == 0) continue;
      const Curve curve = curve_of(category, sorted, area, max_detections);
      double precision = 0;
      for (std::size_t i = 0; i < threshold_count; ++i) {
        precision += curve.precision[i];
        areas[area].recall += curve.recall[i];
      }
      areas[area].precision += precision;
      areas[area].at50 += curve.precision[0];
      areas[area].at75 += curve.precision[threshold_75];
      ++areas[area].categories;
      if (area != area_all) continue;
      own = precision / static_cast<double>(threshold_count);
      for (std::size_t i = 0; i < limits.size(); ++i) {
        const Curve few = curve_of(category, sorted, area, limits[i]);
        for (const double recall : few.recall) limited[i] += recall;
      }
    }
    result.category_ap.push_back(own);
    result.category_objects.push_back(category.objects[area_all]);
  }
  constexpr auto thresholds = static_cast<std::int64_t>(threshold_count);
  const auto precision_in = [&](std::size_t area) {
    return mean_of_present(areas[area].precision, areas[area].categories * thresholds);
  };
  const auto recall_in = [&](std::size_t area) {
    return mean_of_present(areas[area].recall, areas[area].categories * thresholds);
  };
  const std::int64_t present = areas[area_all].categories;
  result.ap = precision_in(area_all);
  result.ap50 = mean_of_present(areas[area_all].at50, present);
  result.ap75 = mean_of_present(areas[area_all].at75, present);
  result.ap_small = precision_in(1);
  result.ap_medium = precision_in(2);
  result.ap_large = precision_in(3);
  result.ar1 = mean_of_present(limited[0], present * thresholds);
  result.ar10 = mean_of_present(limited[1], present * thresholds);
  result.ar100 = mean_of_present(limited[2], present * thresholds);
  result.ar_small = recall_in(1);
  result.ar_medium = recall_in(2);
  result.ar_large = recall_in(3);
  return result;
}

}  // namespace ortool
