// EvaluationResult report: the score with its interval, failures, and predictions.
#include "apps/ortool/evaluation/evaluation_report.hpp"

#include "apps/ortool/report/metric_report.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

/// "top1: 98.89 % of 539 samples (…)".
std::string score_text(const Score& score) {
  if (score.metric() == Metric::cosine) {
    return format("cosine: {} (mean of {} samples)", fixed_number(score.value(), 6), score.count());
  }
  std::string text = format("{}: {} % of {} samples", name_of(score.metric()),
                            fixed_number(score.value() * 100, 2), score.count());
  if (const auto bounds = score.interval()) {
    text += format(" ({} to {} % with 95 % confidence)", fixed_number(bounds->first * 100, 2),
                   fixed_number(bounds->second * 100, 2));
  }
  return text;
}

/// Sets metric, value and ci.
void add_score(const std::optional<Score>& score, Json& block) {
  const auto bounds = score ? score->interval() : std::nullopt;
  block.set("metric", score ? Json(name_of(score->metric())) : Json())
      .set("value", score && score->count() > 0 ? Json(score->value()) : Json())
      .set("ci", bounds ? Json::list().add(bounds->first).add(bounds->second) : Json());
}

}  // namespace

EvaluationReport describe_evaluation(EvaluationResult found) {
  EvaluationReport report;
  std::string text = found.whole   ? metric_text(*found.output_metric, *found.whole)
                     : found.score ? score_text(*found.score)
                                   : format("{} samples", found.succeeded);
  const std::size_t failures = found.failed.items().size();
  if (failures > 0) text += format(", {} failed", failures);
  report.block =
      Json::object().set("samples", found.samples).set("failed", std::move(found.failed));
  if (found.predictions != nullptr) found.predictions->finish(report.text, report.block);
  report.text += text + "\n";
  if (found.nan_samples > 0) {
    report.warning =
        format("outputs of {} of {} samples contain NaN, which has no rank (first: {})",
               found.nan_samples, found.succeeded, shorten(found.first_nan_sample));
  }
  if (found.output_metric) {
    add_metric(*found.output_metric, found.whole, report.block);
  } else {
    add_score(found.score, report.block);
  }
  if (!found.file.empty()) report.block.set("file", found.file);
  return report;
}

}  // namespace ortool
