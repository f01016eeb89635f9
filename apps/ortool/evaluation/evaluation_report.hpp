// EvaluationResult report: the block `dataset` and the text of what a run over a data set found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ortool/run/predictions.hpp"
#include "libcore/dataset/metric.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// What was found in a data set, by one process or by all shards.
struct EvaluationResult {
  std::int64_t samples = 0;    ///< rows, including those of samples that failed
  std::int64_t succeeded = 0;  ///< samples
  Json failed = Json::list();  ///< [{sample, reason}]
  std::int64_t nan_samples = 0;
  std::string first_nan_sample;
  std::optional<Score> score;
  std::optional<Metric> output_metric;      ///< one that compares_outputs()
  std::optional<MetricResult> whole;        ///< of it
  PredictionReport* predictions = nullptr;  ///< null: none, or in a file
  std::string file;                         ///< of --save-outputs; may be empty
};

struct EvaluationReport {
  std::string text;
  Json block;
  std::string warning;  ///< may be empty
};

EvaluationReport describe_evaluation(EvaluationResult found);

}  // namespace ortool
