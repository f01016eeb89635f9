// Detection state: what mAP counts of detections and annotations.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/metrics/average_precision.hpp"
#include "libcore/dataset/metrics/metric_state.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"

namespace ortool {

/// How a detector's outputs are read, once the first were.
struct DetectionSettings {
  std::string layout = {};
  double min_score = 0;
  std::optional<double> max_iou = {};
  bool are_normalized = false;

  bool operator==(const DetectionSettings&) const = default;
};

class DetectionState {
 public:
  /// `categories` are the names of the annotations' categories, `annotated` counts their images.
  /// `cap` may be null and must outlive this object.
  DetectionState(std::vector<std::string> categories, std::int64_t annotated, MemoryCap* cap);
  /// An empty one for the annotations of a state.
  static DetectionState like(const MetricState& state, MemoryCap* cap);

  /// False for an image that was there before.
  bool see_image(std::int64_t id) { return seen_images_.insert(id).second; }
  /// Counts a detection of the class number `number`, with the largest coordinate of its box.
  void see_detection(double coordinate);
  void see_unknown(std::int64_t number);
  AveragePrecision& precision() { return precision_; }

  void read_as(DetectionSettings reading) { reading_ = std::move(reading); }
  /// Kept in the state: the warning that is given for the first image with another size only.
  void set_first_warning(std::string text) { first_warning_ = std::move(text); }

  MetricResult result() const;
  void warn_of_suspicious_outputs(const TaskContext& task) const;
  Json state() const;
  /// Adds the counts of a state. Throws ErrorCode::invalid for an image that is there, and for
  /// outputs that were read in another way.
  void add(const MetricState& state);

 private:
  std::vector<std::string> categories_;
  std::int64_t annotated_ = 0;
  AveragePrecision precision_;
  DetectionSettings reading_;
  std::set<std::int64_t> seen_images_;
  std::int64_t detections_ = 0;
  std::int64_t unknown_detections_ = 0;
  std::int64_t first_unknown_ = 0;
  double largest_coordinate_ = 0;
  std::string first_warning_;
};

}  // namespace ortool
