// Detection state: the result, the warnings about it, and its state as JSON.
#include "libcore/dataset/metrics/detection_state.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"

namespace ortool {
namespace {

/// Box coordinates up to this in the whole set are not pixels.
constexpr double max_normalized = 2;

DetectionSettings reading_of(const MetricState& state) {
  DetectionSettings reading;
  reading.layout = state.text("layout");
  reading.min_score = state.number("min_score");
  if (!state.member("max_iou").is_null()) reading.max_iou = state.number("max_iou");
  reading.are_normalized = state.integer("normalized") != 0;
  return reading;
}

}  // namespace

DetectionState::DetectionState(std::vector<std::string> categories, std::int64_t annotated,
                               MemoryCap* cap)
    : categories_(std::move(categories)),
      annotated_(annotated),
      precision_(static_cast<std::int64_t>(categories_.size()), cap) {}

DetectionState DetectionState::like(const MetricState& state, MemoryCap* cap) {
  std::vector<std::string> names;
  for (const Json& name : state.list("categories")) {
    if (!name.is_text()) MetricState::refuse("categories");
    names.push_back(name.text());
  }
  return DetectionState(std::move(names), state.integer("annotated"), cap);
}

void DetectionState::see_detection(double coordinate) {
  ++detections_;
  largest_coordinate_ = std::max(largest_coordinate_, coordinate);
}

void DetectionState::see_unknown(std::int64_t number) {
  if (unknown_detections_++ == 0) first_unknown_ = number;
}

void DetectionState::warn_of_suspicious_outputs(const TaskContext& task) const {
  if (seen_images_.empty()) return;
  if (unknown_detections_ > 0) {
    task.warn(
        format("{} of {} detections have a class number without a category (first: {}), and "
               "do not count ({} LAYOUT,classes:ids or classes:N sets the numbers)",
               unknown_detections_, detections_, first_unknown_, setting_name("detections")));
  }
  if (detections_ > 0 && !reading_.are_normalized && largest_coordinate_ <= max_normalized) {
    task.warn(
        format("no box coordinate is above {}, so they are hardly pixels ({} "
               "{},boxes:normalized scales them)",
               largest_coordinate_, setting_name("detections"), reading_.layout));
  }
  const std::int64_t missing = annotated_ - static_cast<std::int64_t>(seen_images_.size());
  if (missing > 0) {
    task.note(format("{} of {} annotated images are not in the data and do not count", missing,
                     annotated_));
  }
}

MetricResult DetectionState::result() const {
  const DetectionScores scores = precision_.scores();
  MetricResult result;
  result.value = scores.ap.value_or(0);
  result.samples = static_cast<std::int64_t>(seen_images_.size());
  result.layout = reading_.layout;
  result.numbers = {{"ap", scores.ap},
                    {"ap50", scores.ap50},
                    {"ap75", scores.ap75},
                    {"ap_small", scores.ap_small},
                    {"ap_medium", scores.ap_medium},
                    {"ap_large", scores.ap_large},
                    {"ar1", scores.ar1},
                    {"ar10", scores.ar10},
                    {"ar100", scores.ar100},
                    {"ar_small", scores.ar_small},
                    {"ar_medium", scores.ar_medium},
                    {"ar_large", scores.ar_large},
                    {"score_threshold", reading_.min_score},
                    {"iou_threshold", reading_.max_iou}};
  result.counts = {{"detections", detections_}};
  for (std::size_t i = 0; i < scores.category_ap.size(); ++i)
    result.classes.push_back({categories_[i], scores.category_ap[i], scores.category_objects[i]});
  return result;
}

Json DetectionState::state() const {
  return Json::object()
      .set("categories", Json::list_of(categories_))
      .set("annotated", annotated_)
      .set("layout", reading_.layout)
      .set("min_score", reading_.min_score)
      .set("max_iou", reading_.max_iou ? Json(*reading_.max_iou) : Json())
      .set("normalized", reading_.are_normalized ? 1 : 0)
      .set("images", Json::list_of(seen_images_))
      .set("detections", detections_)
      .set("unknown_detections", unknown_detections_)
      .set("first_unknown", first_unknown_)
      .set("largest_coordinate", largest_coordinate_)
      .set("first_warning", first_warning_)
      .set("matches", precision_.state());
}

void DetectionState::add(const MetricState& state) {
  const std::vector<std::int64_t> images = state.integers("images");
  // A shard without images read no outputs.
  if (images.empty()) return;
  const DetectionSettings reading = reading_of(state);
  if (!seen_images_.empty() && reading != reading_) {
    throw Error(ErrorCode::invalid,
                format("outputs are read as {} in one shard and as {} in another", reading_.layout,
                       reading.layout),
                format("{} LAYOUT sets the layout for all shards", setting_name("detections")))
        .with_id("part.foreign");
  }
  reading_ = reading;
  for (const std::int64_t image : images) {
    if (see_image(image)) continue;
    throw Error(ErrorCode::invalid, format("two samples have the annotations of image {}", image),
                "each image may occur once")
        .with_id("data.annotations");
  }
  if (unknown_detections_ == 0) first_unknown_ = state.integer("first_unknown");
  detections_ += state.integer("detections");
  unknown_detections_ += state.integer("unknown_detections");
  largest_coordinate_ = std::max(largest_coordinate_, state.number("largest_coordinate"));
  precision_.add(state.list("matches"));
}

}  // namespace ortool
