// Accuracy metrics over a data set: whether what a model says of a sample is right.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/dataset/metric.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Judges one sample after the other and keeps the score.
class SampleJudge {
 public:
  /// `classes` are the names of classes by number; may be empty. `metric`: empty for what the first
  /// sample has something for. `outputs`: a list of names to look among; empty for all.
  SampleJudge(const Session& session, std::span<const std::string> classes,
              std::optional<Metric> metric, std::string outputs = {});

  /// Without a metric: what the first sample has something for, or none when outputs are saved.
  /// Throws ErrorCode::invalid when there is nothing to do.
  void choose_metric(const Sample& sample, bool saves_outputs);
  bool has_metric() const { return score_.has_value(); }
  /// A score for each label, or one for the outputs; none without a metric. Throws
  /// ErrorCode::invalid for labels that are no classes, and where what the metric needs is missing.
  std::vector<double> judge(const Sample& sample, const std::vector<RunValue>& outputs);

  /// The score so far; nothing without a metric.
  const std::optional<Score>& score() const { return score_; }

 private:
  std::size_t judged_output(const std::vector<RunValue>& outputs, std::int64_t samples) const;
  double cosine_of(const Sample& sample, const std::vector<RunValue>& outputs) const;
  std::int64_t class_of(const SampleLabel& label) const;

  const Session& session_;
  std::vector<std::string> classes_;
  std::string wanted_outputs_;
  std::optional<Score> score_;
};

}  // namespace ortool
