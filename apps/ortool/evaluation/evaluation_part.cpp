// Parts of an evaluation: numbers are kept sample by sample, so that sums have the order and so the
// bits of one process.
#include "apps/ortool/evaluation/evaluation_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/ortool/parts/joined_report.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/parts/check_parts.hpp"

namespace ortool {
namespace {

/// A number that JSON readers take for the integer 0.
constexpr std::string_view minus_zero = "-0";

Json exact_number(double value) {
  return value == 0 && std::signbit(value) ? Json(minus_zero) : Json(value);
}

[[noreturn]] void refuse_payload(std::string_view key) {
  throw Error(ErrorCode::invalid, format("the part has no valid {}", quote(key)),
              "run its shard again to replace it")
      .with_id("part.content");
}

const Json& member(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) refuse_payload(key);
  return *value;
}

/// JSON has no infinities and no NaN; Json writes them as strings.
double number_of(const Json& value) {
  if (value.is_number()) return value.number();
  const std::string text = value.is_text() ? value.text() : std::string();
  if (text == minus_zero) return -0.0;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  refuse_payload("number");
}

std::int64_t count_of(const Json& object, std::string_view key) {
  return static_cast<std::int64_t>(number_of(member(object, key)));
}

std::string text_of(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_text()) refuse_payload(key);
  return value.text();
}

const Json::List& list_of(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_list()) refuse_payload(key);
  return value.items();
}

Json ranked_json(const RankedScores& ranked) {
  Json entries = Json::list();
  for (const TopEntry& entry : ranked.entries)
    entries.add(Json::list().add(entry.row).add(entry.index).add(exact_number(entry.value)));
  return Json::object()
      .set("rows", ranked.rows)
      .set("entries", std::move(entries))
      .set("probabilities", Json::list_of(ranked.probabilities));
}

RankedScores ranked_of(const Json& json) {
  RankedScores ranked;
  ranked.rows = count_of(json, "rows");
  for (const Json& entry : list_of(json, "entries")) {
    if (!entry.is_list() || entry.items().size() != 3) refuse_payload("entries");
    const auto at = [&](std::size_t place) { return number_of(entry.items()[place]); };
    ranked.entries.push_back(
        {static_cast<std::int64_t>(at(0)), static_cast<std::int64_t>(at(1)), at(2)});
  }
  for (const Json& each : list_of(json, "probabilities"))
    ranked.probabilities.push_back(number_of(each));
  const bool has_fewer = ranked.probabilities.size() != ranked.entries.size();
  if (!ranked.probabilities.empty() && has_fewer) refuse_payload("probabilities");
  return ranked;
}

/// Adds one part after another.
class EvaluationJoin {
 public:
  explicit EvaluationJoin(const TaskContext& task) : task_(task) {}

  void add(const Part& part);
  JoinedEvaluationReport finish();

 private:
  void add_head(const Part& part, Json head);
  void add_sample(const Json& line);

  const TaskContext& task_;
  EvaluationResult whole_;
  bool has_head_ = false;
  bool has_predictions_ = false;
  std::vector<std::string> classes_;
  PredictionReport predictions_{true};
  std::optional<bool> joins_batches_;
  std::string batches_path_;
  std::vector<Json> output_states_;
  JoinedReport document_;
};

void EvaluationJoin::add_head(const Part& part, Json head) {
  whole_.samples += count_of(head, "samples");
  whole_.succeeded += count_of(head, "succeeded");
  for (const Json& each : list_of(head, "failed")) whole_.failed.add(each);
  if (whole_.nan_samples == 0) whole_.first_nan_sample = text_of(head, "first_nan_sample");
  whole_.nan_samples += count_of(head, "nan_samples");
  const Json& metric = member(head, "metric");
  if (metric.is_text()) {
    const auto known = metric_named(metric.text());
    if (!known) refuse_payload("metric");
    if (compares_outputs(known)) {
      whole_.output_metric = known;
    } else if (!whole_.score) {
      whole_.score.emplace(*known);
    } else if (whole_.score->metric() != *known) {
      refuse_part(part.path, format("its metric is {} instead of {}", metric.text(),
                                    name_of(whole_.score->metric())));
    }
  }
  const Json& batches = member(head, "joins_batches");
  if (batches.is_flag() && joins_batches_ && *joins_batches_ != batches.flag()) {
    refuse_part(part.path, format("it ran samples {}, unlike {}",
                                  batches.flag() ? "in batches" : "one by one", batches_path_));
  }
  if (batches.is_flag()) {
    joins_batches_ = batches.flag();
    batches_path_ = part.path;
  }
  const Json& predictions = member(head, "has_predictions");
  has_predictions_ = has_predictions_ || (predictions.is_flag() && predictions.flag());
  if (!has_head_) {
    for (const Json& name : list_of(head, "classes")) {
      if (!name.is_text()) refuse_payload("classes");
      classes_.push_back(name.text());
    }
  }
  has_head_ = true;
  const Json& state = member(head, "output_state");
  std::string once;
  if (state.is_object()) {
    if (const Json* text = state.find("first_warning"); text != nullptr && text->is_text())
      once = text->text();
    output_states_.push_back(state);
  }
  document_.add(member(head, "document"), once);
}

void EvaluationJoin::add_sample(const Json& line) {
  for (const Json& each : list_of(line, "scores")) {
    if (!whole_.score) refuse_payload("metric");
    whole_.score->add(number_of(each));
  }
  if (const Json* ranked = line.find("ranked"))
    predictions_.add(text_of(line, "sample"), ranked_of(*ranked), classes_);
}

void EvaluationJoin::add(const Part& part) {
  const JsonLimits limits{&task_.memory, std::int64_t{1} << 40};
  const std::string payload = read_part_again(part, &task_.memory).payload;
  std::string_view rest = payload;
  try {
    for (bool is_head = true; !rest.empty(); is_head = false) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      Json line = parse_json(rest.substr(0, end), "payload", limits);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (is_head) {
        add_head(part, std::move(line));
      } else {
        add_sample(line);
      }
      task_.stop.poll();
    }
  } catch (Error& error) {
    if (error.id() != "part.foreign") error.in(part.path);
    throw;
  }
}

JoinedEvaluationReport EvaluationJoin::finish() {
  JoinedEvaluationReport joined;
  joined.has_failures = !whole_.failed.items().empty();
  if (has_predictions_) whole_.predictions = &predictions_;
  if (whole_.output_metric && whole_.succeeded > 0) {
    TaskContext task{task_.memory, task_.stop};
    task.on_warning = [&](std::string_view text) { document_.add_warning(text); };
    task.on_note = [&](std::string_view text) { document_.add_note(text); };
    whole_.whole = join_metric_states(*whole_.output_metric, output_states_, task);
  }
  joined.report = describe_evaluation(std::move(whole_));
  if (!joined.report.warning.empty()) document_.add_warning(joined.report.warning);
  document_.set("dataset", joined.report.block);
  joined.document = document_.take();
  return joined;
}

}  // namespace

void EvaluationPart::add(const std::string& sample, std::span<const double> scores,
                         const RankedScores* ranked) {
  Json line = Json::object().set("sample", sample).set("scores", Json::list_of(scores));
  if (ranked != nullptr) line.set("ranked", ranked_json(*ranked));
  lines_ += line.write_compact() + "\n";
}

std::string EvaluationPart::payload(const EvaluationResult& found, const Json& document) const {
  Json metric;
  if (found.output_metric) {
    metric = name_of(*found.output_metric);
  } else if (found.score) {
    metric = name_of(found.score->metric());
  }
  Json head = Json::object();
  head.set("samples", found.samples)
      .set("succeeded", found.succeeded)
      .set("failed", found.failed)
      .set("nan_samples", found.nan_samples)
      .set("first_nan_sample", found.first_nan_sample)
      .set("metric", std::move(metric))
      .set("joins_batches", joins_batches ? Json(*joins_batches) : Json())
      .set("has_predictions", has_predictions)
      .set("classes", Json::list_of(classes))
      .set("output_state", output_state)
      .set("document", document);
  return head.write_compact() + "\n" + lines_;
}

JoinedEvaluationReport join_evaluations(const std::vector<Part>& parts, const TaskContext& task) {
  EvaluationJoin join(task);
  for (const Part& part : parts) join.add(part);
  return join.finish();
}

}  // namespace ortool
