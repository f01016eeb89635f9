// Predictions: which output is ranked, and what a line, a block and a row of them hold.
#include "apps/ortool/run/predictions.hpp"

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/report/csv.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_listed_predictions = 10000;

std::string row_name(const std::string& sample, const RankedScores& ranked, std::int64_t row) {
  return ranked.rows > 1 ? format("{} row {}", sample, row) : sample;
}

}  // namespace

Predictor::Predictor(const Invocation& invocation, const Session& session,
                     std::span<const std::string> labels)
    : invocation_(invocation), session_(session), labels_(labels.begin(), labels.end()) {}

std::size_t Predictor::ranked_output(const std::vector<RunValue>& outputs) const {
  const std::vector<std::size_t> chosen = chosen_positions(invocation_.options, session_.outputs());
  for (const bool takes_integers : {false, true}) {
    for (const std::size_t i : chosen) {
      if (!has_scores(outputs[i])) continue;
      if (takes_integers || is_floating_point(outputs[i].tensor().type())) return i;
    }
  }
  throw applies_to_nothing(
      "no output has scores for --top to rank",
      "leave --top out; --save-outputs FILE.jsonl keeps the outputs as they are");
}

RankedScores Predictor::predict(const std::vector<RunValue>& outputs) {
  if (!output_) output_ = ranked_output(outputs);
  const RunValue& output = outputs[*output_];
  // Where no box is found, for example.
  if (!has_scores(output)) return {};
  const std::string name(session_.outputs()[*output_]->name());
  warn_of_scores(invocation_, name, output.tensor(), labels_);
  return rank_scores(invocation_.options, output.tensor());
}

void PredictionReport::add(const std::string& sample, const RankedScores& ranked,
                           std::span<const std::string> labels) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < ranked.entries.size(); ++i) {
    const TopEntry& entry = ranked.entries[i];
    const bool is_first = i == 0 || entry.row != ranked.entries[i - 1].row;
    if (is_first && !cells.empty()) table_.add_row(std::move(cells));
    if (is_first) cells = {row_name(sample, ranked, entry.row)};
    cells.push_back(class_text(entry.index, labels));
    cells.push_back(readable_number(ranked.shown(i)));
  }
  if (cells.empty()) cells = {sample, ranked.rows > 0 ? "(NaN)" : "(no scores)"};
  table_.add_row(std::move(cells));
  if (!has_document_) return;
  if (list_.items().size() == max_listed_predictions) {
    ++omitted_;
    return;
  }
  list_.add(Json::object()
                .set("sample", sample)
                .set("top", top_block(ranked.entries, ranked.probabilities, labels, ranked.rows)));
}

void PredictionReport::finish(std::string& text, Json& block) {
  text += table_.to_string();
  block.set("predictions", std::move(list_));
  if (omitted_ > 0) block.set("predictions_omitted", omitted_);
}

std::string prediction_header(bool has_probabilities) {
  std::vector<std::string> names = {"sample", "row", "rank", "index", "label", "score"};
  if (has_probabilities) names.emplace_back("probability");
  return csv_line(names);
}

std::string prediction_rows(const std::string& sample, const RankedScores& ranked,
                            std::span<const std::string> labels, bool has_probabilities) {
  std::string rows;
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < ranked.entries.size(); ++i) {
    const TopEntry& entry = ranked.entries[i];
    rank = i > 0 && entry.row == ranked.entries[i - 1].row ? rank + 1 : 1;
    const bool has_label = static_cast<std::size_t>(entry.index) < labels.size();
    std::vector<std::string> fields = {sample,
                                       std::to_string(entry.row),
                                       std::to_string(rank),
                                       std::to_string(entry.index),
                                       has_label ? class_text(entry.index, labels) : std::string(),
                                       format("{}", entry.value)};
    if (has_probabilities) fields.push_back(format("{}", ranked.probabilities[i]));
    rows += csv_line(fields);
  }
  if (rows.empty()) {
    std::vector<std::string> fields = {sample, "", "", "", "", ""};
    if (has_probabilities) fields.emplace_back();
    rows = csv_line(fields);
  }
  return rows;
}

}  // namespace ortool
