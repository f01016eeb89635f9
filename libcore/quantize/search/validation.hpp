// Validation: accuracy on labels, similarity to the float model, or a metric from a command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/search/budget.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Evaluates models on the validation data, or else on the calibration data.
class Validation {
 public:
  /// `floats` is the float model, node by node, and must outlive this object. It is evaluated
  /// first.
  Validation(const QuantizeContext& context, const Budget& budget, const Model& prepared,
             const Session& floats);

  /// Throws ErrorCode::invalid for data sets that lack what the metric needs, and for a command
  /// that fails.
  CandidateScore judge(const Model& model) const;
  /// Whether the drop from the float model is within the budget.
  bool is_within(const CandidateScore& model_score) const;
  const CandidateScore& float_score() const { return float_score_; }
  /// The float model's accuracy next to this one.
  Accuracy accuracy(const CandidateScore& model_score) const;

 private:
  CandidateScore judge_labels(const Session& session) const;
  CandidateScore judge_ground_truth(const Session& session) const;
  CandidateScore judge_outputs(const Session& session) const;
  CandidateScore run_command(const Model& model) const;
  double least() const;

  const QuantizeContext& context_;
  const Budget& budget_;
  const Session& floats_;
  DataRole role_;
  std::unique_ptr<const GroundTruth> truth_;  ///< of mAP and mIoU
  std::int64_t samples_ = 0;
  CandidateScore float_score_;
};

/// The exact two-sided probability of a difference between `lost` and `gained` at least this large
/// by chance (McNemar, 1947).
double mcnemar_chance(std::int64_t lost, std::int64_t gained);

}  // namespace ortool
