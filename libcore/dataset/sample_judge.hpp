// Accuracy evaluation over a data set: whether a model's outputs for a sample are correct.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/dataset/metric.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Evaluates one sample after another and keeps the score.
class SampleJudge {
 public:
  /// `classes` are the class names by index; may be empty. `metric`: if empty, chosen by the first
  /// sample. `outputs`: a list of names to consider; empty for all. `truth` of a metric that
  /// compares_outputs(), otherwise null, must outlive this object.
  SampleJudge(const Session& session, std::span<const std::string> classes,
              std::optional<Metric> metric, std::string outputs = {},
              const GroundTruth* truth = nullptr);

  /// Without a metric: chooses the one that the first sample supports, or none if it
  /// supports none and a metric is optional, since there is other work. Throws ErrorCode::invalid
  /// otherwise.
  void choose_metric(const Sample& sample, bool is_optional);
  bool has_metric() const { return score_.has_value() || output_metric_ != nullptr; }
  /// A score per label, or one for the outputs; none without a metric, or with one of the whole
  /// set. Throws ErrorCode::invalid
  /// for labels that are not classes, and when data that the metric needs are missing.
  std::vector<double> judge(const Sample& sample, const std::vector<RunValue>& outputs);

  /// The score so far; nothing without a metric.
  const std::optional<Score>& score() const { return score_; }
  /// The result so far of a metric that compares_outputs().
  MetricResult output_result() const { return output_metric_->result(); }
  /// Its state, for join_metric_states().
  Json output_state() const { return output_metric_->state(); }

 private:
  std::vector<std::string> wanted_names() const;
  std::vector<NamedTensor> wanted_tensors(const std::vector<RunValue>& outputs) const;
  std::size_t judged_output(const std::vector<RunValue>& outputs, std::int64_t samples) const;
  double cosine_of(const Sample& sample, const std::vector<RunValue>& outputs) const;
  std::int64_t class_of(const SampleLabel& label) const;

  const Session& session_;
  std::vector<std::string> classes_;
  std::string wanted_outputs_;
  std::optional<Score> score_;
  std::unique_ptr<OutputMetric> output_metric_;
};

}  // namespace ortool
