// Part of an evaluation: what a shard of run --data found, sample by sample, as JSON lines.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/ortool/evaluation/evaluation_report.hpp"
#include "apps/ortool/run/ranked_scores.hpp"
#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

inline constexpr std::string_view evaluation_kind = "evaluation";

/// What is written of a shard's evaluation.
class EvaluationPart {
 public:
  /// Adds what came of a sample; `ranked` may be null.
  void add(const std::string& sample, std::span<const double> scores, const RankedScores* ranked);

  /// The payload: a line about the shard, then one for each sample. `document` is the report of the
  /// command, without what samples add to it.
  std::string payload(const EvaluationResult& found, const Json& document) const;

  PartTask task;
  std::pair<std::int64_t, std::int64_t> items;  ///< of this shard
  std::vector<std::string> classes;             ///< names, by index
  bool has_predictions = false;
  /// Whether samples ran together in batches: nothing where there was no batch to try.
  std::optional<bool> joins_batches;
  Json output_state;  ///< of a metric that compares_outputs(); null without

 private:
  std::string lines_;
};

/// The evaluation of all shards.
struct JoinedEvaluationReport {
  EvaluationReport report;
  Json document;  ///< of the command `run`, without what describes how it ended
  bool has_failures = false;
};

/// Joins checked parts of kind evaluation, which are in the order of their shards: the report is
/// that of one process. Throws ErrorCode::invalid for parts that do not fit together.
JoinedEvaluationReport join_evaluations(const std::vector<Part>& parts, const TaskContext& task);

}  // namespace ortool
