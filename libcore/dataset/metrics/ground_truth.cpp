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

/// The annotations in the only folder of samples.
std::string annotations_beside(std::span<const std::string> sets) {
  for (const std::string& set : sets) {
    std::error_code failure;
    const bool is_folder = fs::is_directory(set, failure);
    const fs::path folder = is_folder ? fs::path(set) : fs::path(set).parent_path();
    const std::string found = find_annotation_file(folder.empty() ? "." : folder.string());
    if (!found.empty() && sets.size() == 1) return found;
  }
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
    const std::string path = options_.labels.empty() ? annotations_beside(sets) : options_.labels;
    annotations_ =
        std::make_unique<const CocoAnnotations>(CocoAnnotations::read(path, task_.memory));
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
