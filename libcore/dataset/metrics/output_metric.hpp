// Output metrics: accuracy over a whole data set from boxes or class maps (mAP, mIoU).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/metrics/metric_options.hpp"
#include "libcore/dataset/metrics/named_tensor.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/json/json.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

class CocoAnnotations;

/// What a metric finds for one class.
struct ClassScore {
  std::string name;
  std::optional<double> value;  ///< nothing where the class does not occur
  std::int64_t count = 0;       ///< objects, or pixels
};

/// The value of a metric with what it consists of.
struct MetricResult {
  double value = 0;
  std::int64_t samples = 0;
  /// Further numbers by their JSON keys; nothing where no object counts.
  std::vector<std::pair<std::string, std::optional<double>>> numbers = {};
  std::vector<std::pair<std::string, std::int64_t>> counts = {};
  std::vector<ClassScore> classes = {};
  std::string layout = {};  ///< of the outputs
};

/// Compares the outputs for one sample after another with the ground truth.
class OutputMetric {
 public:
  virtual ~OutputMetric() = default;
  /// Throws ErrorCode::invalid when outputs or ground truth do not fit.
  virtual void add(const Sample& sample, std::span<const NamedTensor> outputs) = 0;
  virtual MetricResult result() const = 0;
  /// All that was counted so far, for join_metric_states().
  virtual Json state() const = 0;
};

/// The result over the samples of all states, which are of the same metric, in the order in which
/// the samples were added: the bits of one metric that gets all. Throws ErrorCode::invalid for
/// states that are not as they were written.
MetricResult join_metric_states(Metric metric, std::span<const Json> states,
                                const TaskContext& task);

/// The ground truth of a data set, read once for all models that are compared with it.
class GroundTruth {
 public:
  /// `sets` are the paths of the samples. Throws ErrorCode::invalid when the annotations or masks
  /// are missing or invalid.
  GroundTruth(const MetricOptions& options, std::span<const std::string> sets, TaskContext task);

  ~GroundTruth();
  GroundTruth(const GroundTruth&) = delete;
  GroundTruth& operator=(const GroundTruth&) = delete;

  /// The session and this object must outlive the metric.
  std::unique_ptr<OutputMetric> make_metric(const Session& session) const;
  Metric metric() const { return *options_.metric; }

 private:
  MetricOptions options_;
  TaskContext task_;
  std::unique_ptr<const CocoAnnotations> annotations_;
};

/// mAP: detections compared with annotations. The arguments must outlive it.
std::unique_ptr<OutputMetric> make_detection_metric(const CocoAnnotations& annotations,
                                                    const DetectionOptions& options,
                                                    std::vector<std::string> class_names,
                                                    const TaskContext& task);
/// mIoU: class maps compared with the label images of a folder.
std::unique_ptr<OutputMetric> make_segmentation_metric(std::string folder, const TaskContext& task);

/// The names of a detector's classes in the metadata that Ultralytics writes, {0: 'person', ...};
/// empty when there are none.
std::vector<std::string> class_names_in(const Metadata& metadata);

}  // namespace ortool
