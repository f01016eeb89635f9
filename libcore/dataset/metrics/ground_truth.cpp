// Ground truth: finds annotations or masks, and makes the metric that compares with them.
#include <filesystem>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/metrics/coco_annotations.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

/// The file of the annotations: `labels`, or in that folder; otherwise in the only folder of
/// samples.
std::string annotations_of(const std::string& labels, std::span<const std::string> sets) {
  std::error_code failure;
  if (!labels.empty() && !fs::is_directory(labels, failure)) return labels;
  std::string found;
  if (!labels.empty()) {
    found = find_annotation_file(labels);
  } else if (sets.size() == 1) {
    const fs::path set(sets.front());
    const fs::path folder = fs::is_directory(set, failure) ? set : set.parent_path();
    found = find_annotation_file(folder.empty() ? "." : folder.string());
  }
  if (!found.empty()) return found;
  throw Error(ErrorCode::invalid,
              format("{} map has no annotations to compare with", setting_name("metric")),
              format("add {} annotations.json, a file in COCO's format{}", setting_name("labels"),
                     sets.size() > 1 ? " for all sets"
                                     : ", or put annotations.json into the folder of the images"))
      .with_id("data.annotations");
}

}  // namespace

bool compares_outputs(std::optional<Metric> metric) {
  return metric == Metric::map || metric == Metric::miou;
}

GroundTruth::GroundTruth(const MetricOptions& options, std::span<const std::string> sets,
                         TaskContext task)
    : options_(options), task_(std::move(task)) {
  if (metric() == Metric::map) {
    annotations_ = std::make_unique<const CocoAnnotations>(
        CocoAnnotations::read(annotations_of(options_.labels, sets), task_.memory));
    return;
  }
  std::error_code failure;
  if (!options_.labels.empty() && fs::is_directory(options_.labels, failure)) return;
  throw Error(ErrorCode::invalid,
              options_.labels.empty()
                  ? format("{} miou has no label images to compare with", setting_name("metric"))
                  : format("{}: is not a folder of label images", options_.labels),
              format("add {} DIR, a folder with a PNG of class indices named after each image",
                     setting_name("labels")))
      .with_id("data.labels");
}

GroundTruth::~GroundTruth() = default;

std::unique_ptr<OutputMetric> GroundTruth::make_metric(const Session& session) const {
  if (metric() == Metric::miou) return make_segmentation_metric(options_.labels, task_);
  std::vector<std::string> names;
  if (options_.detections.classes == ClassNumbers::automatic)
    names = class_names_in(session.model().metadata);
  return make_detection_metric(*annotations_, options_.detections, std::move(names), task_);
}

}  // namespace ortool
