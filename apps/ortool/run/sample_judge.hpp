// Whether what a model says of a sample is right, by --metric.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/data/sample_set.hpp"
#include "apps/ortool/report/json.hpp"
#include "apps/ortool/run/metric.hpp"

namespace ortool {

/// Judges one sample after the other and keeps the score.
class SampleJudge {
 public:
  /// `classes` are the names of classes by number; may be empty.
  SampleJudge(const OptionValues& options, const Session& session,
              std::span<const std::string> classes);

  /// Without --metric: what the first sample has something for, or none when outputs are saved.
  /// Throws ErrorCode::invalid when there is nothing to do.
  void choose_metric(const Sample& sample, bool saves_outputs);
  bool has_metric() const { return score_.has_value(); }
  /// A score for each label, or one for the outputs; none without a metric. Throws
  /// ErrorCode::invalid for labels that are no classes, and where what the metric needs is missing.
  std::vector<double> judge(const Sample& sample, const std::vector<RunValue>& outputs);

  /// "top1: 98.89 % of 539 samples (…)".
  std::string text() const;
  /// Sets metric, value and ci.
  void add_to(Json& block) const;

 private:
  std::size_t judged_output(const std::vector<RunValue>& outputs, std::int64_t samples) const;
  double cosine_of(const Sample& sample, const std::vector<RunValue>& outputs) const;
  std::int64_t class_of(const SampleLabel& label) const;

  const OptionValues& options_;
  const Session& session_;
  std::vector<std::string> classes_;
  std::optional<Score> score_;
};

}  // namespace ortool
