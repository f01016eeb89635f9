// Predictions of a data set: the classes with the highest scores, sample by sample.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/ranked_scores.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Ranks an output of each sample, by --top, --softmax and --outputs.
class Predictor {
 public:
  /// `labels` are the class names by index; may be empty.
  Predictor(const Invocation& invocation, const Session& session,
            std::span<const std::string> labels);

  /// Throws ErrorCode::invalid if no output has scores.
  RankedScores predict(const std::vector<RunValue>& outputs);

 private:
  std::size_t ranked_output(const std::vector<RunValue>& outputs) const;

  const Invocation& invocation_;
  const Session& session_;
  std::vector<std::string> labels_;
  std::optional<std::size_t> output_;  ///< chosen by the first sample
};

/// The predictions of all samples, for the report: one line, and one block of JSON each.
class PredictionReport {
 public:
  explicit PredictionReport(bool has_document) : has_document_(has_document) {}

  void add(const std::string& sample, const RankedScores& ranked,
           std::span<const std::string> labels);
  /// Adds `predictions` and, beyond the first 10000, their number as `predictions_omitted`.
  void finish(std::string& text, Json& block);

 private:
  bool has_document_;
  TextTable table_;
  Json list_ = Json::list();
  std::int64_t omitted_ = 0;
};

/// Rows of a CSV file: the header, and the predictions of a sample, or one row without a rank if it
/// has none.
std::string prediction_header(bool has_probabilities);
std::string prediction_rows(const std::string& sample, const RankedScores& ranked,
                            std::span<const std::string> labels, bool has_probabilities);

}  // namespace ortool
