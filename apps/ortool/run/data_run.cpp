// Runs run --data: samples in batches if the batch size is dynamic, each evaluated on its own.
#include "apps/ortool/run/data_run.hpp"

#include <algorithm>
#include <tuple>

#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/report/data_files_block.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "apps/ortool/run/predictions.hpp"
#include "apps/ortool/run/run_figures.hpp"
#include "apps/ortool/run/sample_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/dataset/batch.hpp"
#include "libcore/dataset/sample_judge.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {
namespace {

/// Limit of a batch's inputs, so that intermediate values stay small too.
constexpr std::int64_t max_batch_bytes = std::int64_t{4} << 20;
/// Failures without any success before giving up.
constexpr std::size_t max_first_failures = 10;

bool ends_everything(const Error& error) {
  return error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported;
}

class DataRun {
 public:
  DataRun(Invocation& invocation, const Session& session, const RunOptions& run_options,
          const DataRunOptions& options, std::unique_ptr<SampleSet> set,
          std::optional<Metric> metric, const GroundTruth* truth)
      : invocation_(invocation),
        session_(session),
        run_options_(run_options),
        set_(std::move(set)),
        comparison_(options.comparison),
        kept_inputs_(options.kept_inputs),
        most_kept_(options.most_kept),
        classes_(options.labels.empty() ? set_->class_names() : options.labels),
        judge_(session, classes_, metric, chosen_outputs(invocation.options), truth),
        truth_(truth),
        most_batched_(comparison_ != nullptr ? 1 : most_batched(session)),
        first_most_batched_(most_batched_),
        shard_(options.shard),
        predictions_(invocation.has_document) {
    if (invocation.options.has("top")) predictor_.emplace(invocation, session, classes_);
    if (invocation.options.has("save-outputs"))
      file_.emplace(invocation.options, session, classes_);
  }

  DataTimes run();

 private:
  void choose_samples();
  void take(Sample sample);
  void flush();
  std::optional<std::vector<RunValue>> run_joined(std::span<const Sample> samples);
  bool is_independent(std::span<const Sample> samples, const std::vector<RunValue>& outputs);
  /// Scores the outputs of a sample, ranks their classes, and saves what is to be saved.
  void evaluate(const Sample& sample, const std::vector<RunValue>& outputs);
  void fail(const std::string& sample, const Error& error);
  void count_nan(const std::string& sample, const std::vector<RunValue>& outputs);
  void report();
  std::vector<RunValue> timed_run(const NamedValues& inputs);

  Invocation& invocation_;
  const Session& session_;
  const RunOptions& run_options_;
  std::unique_ptr<SampleSet> set_;
  DataComparison* comparison_;
  std::vector<NamedValues>* kept_inputs_;  ///< null: not kept
  std::size_t most_kept_;
  std::span<const std::string> classes_;
  SampleJudge judge_;
  const GroundTruth* truth_;   ///< null: the metric needs none
  std::int64_t most_batched_;  ///< with a comparison: 1
  std::int64_t first_most_batched_;
  ShardRun* shard_;         ///< null: all samples
  std::int64_t begin_ = 0;  ///< the samples to run are begin_ to end_ - 1
  std::int64_t end_ = 0;
  bool has_checked_batches_ = false;
  std::optional<Predictor> predictor_;  ///< with --top
  PredictionReport predictions_;        ///< unless they are saved
  std::optional<SampleFile> file_;
  std::vector<Sample> batch_;
  std::int64_t samples_ = 0;
  std::int64_t nan_samples_ = 0;
  std::string first_nan_sample_;
  std::int64_t succeeded_ = 0;
  Json failed_ = Json::list();
  std::vector<double> run_ms_;
  DataTimes times_;
};

void DataRun::fail(const std::string& sample, const Error& error) {
  if (ends_everything(error)) throw Error(error);
  failed_.add(Json::object().set("sample", sample).set("reason", error.what()));
  Error named = error;
  named.in(format("sample {}", shorten(sample)));
  const bool is_first = shard_ == nullptr || shard_->part.task.shard.index == 0;
  if (is_first && succeeded_ == 0 && failed_.items().size() >= max_first_failures) throw named;
  invocation_.report.add_error(named);
  if (failed_.items().size() <= max_first_failures) invocation_.messages.fail(named);
}

void DataRun::count_nan(const std::string& sample, const std::vector<RunValue>& outputs) {
  const bool has_nan = std::any_of(outputs.begin(), outputs.end(), [](const RunValue& output) {
    return output.is_tensor() && is_floating_point(output.tensor().type()) &&
           statistics_of(output.tensor()).nan_count > 0;
  });
  if (!has_nan) return;
  if (nan_samples_ == 0) first_nan_sample_ = sample;
  ++nan_samples_;
}

void DataRun::evaluate(const Sample& sample, const std::vector<RunValue>& outputs) {
  count_nan(sample.name, outputs);
  if (kept_inputs_ != nullptr && kept_inputs_->size() < most_kept_)
    kept_inputs_->push_back(sample.inputs);
  const std::vector<double> scores = judge_.judge(sample, outputs);
  if (comparison_ != nullptr) comparison_->add(sample, outputs, run_options_);
  std::optional<RankedScores> ranked;
  if (predictor_) ranked = predictor_->predict(outputs);
  if (shard_ != nullptr)
    shard_->part.add(sample.name, scores, ranked && !file_ ? &*ranked : nullptr);
  if (file_) {
    file_->add({sample, outputs, scores, ranked ? &*ranked : nullptr});
  } else if (ranked) {
    predictions_.add(sample.name, *ranked, classes_);
  }
}

std::vector<RunValue> DataRun::timed_run(const NamedValues& inputs) {
  const Stopwatch watch;
  std::vector<RunValue> outputs = session_.run(inputs, run_options_);
  run_ms_.push_back(watch.milliseconds());
  if (run_ms_.size() == 1) times_.first_run_ms = run_ms_.front();
  return outputs;
}

/// Whether the first and last sample alone give the same results as in the batch: a model may mix
/// along its first axis.
bool DataRun::is_independent(std::span<const Sample> samples,
                             const std::vector<RunValue>& outputs) {
  const auto count = static_cast<std::int64_t>(samples.size());
  for (const std::int64_t index : {std::int64_t{0}, count - 1}) {
    const auto alone = session_.run(samples[static_cast<std::size_t>(index)].inputs, run_options_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!has_rows(outputs[i], count)) return false;
      const RunValue row = row_of(outputs[i], index, count);
      const Tolerance tolerance{1e-3, 1e-4, true};
      if (!compare(row.tensor(), alone[i].tensor(), tolerance).passed) return false;
    }
  }
  return true;
}

/// The outputs of all samples together; empty if they have to run one by one.
std::optional<std::vector<RunValue>> DataRun::run_joined(std::span<const Sample> samples) {
  if (samples.size() < 2) return std::nullopt;
  try {
    std::vector<RunValue> outputs = timed_run(join_inputs(samples));
    if (has_checked_batches_ || is_independent(samples, outputs)) {
      has_checked_batches_ = true;
      return outputs;
    }
    most_batched_ = 1;
  } catch (const Error& error) {
    // One of them, or the batch itself: run alone, each shows its own error.
    const bool is_too_large = error.code() == ErrorCode::memory_limit;
    if (ends_everything(error) && !is_too_large) throw;
    if (is_too_large) most_batched_ = 1;
  }
  return std::nullopt;
}

void DataRun::flush() {
  const std::vector<Sample> samples = std::move(batch_);
  batch_.clear();
  const auto joined = run_joined(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<RunValue> outputs;
    try {
      if (!joined) outputs = timed_run(samples[i].inputs);
    } catch (const Error& error) {
      fail(samples[i].name, error);
      continue;
    }
    for (std::size_t k = 0; joined && k < joined->size(); ++k) {
      outputs.push_back(row_of((*joined)[k], static_cast<std::int64_t>(i),
                               static_cast<std::int64_t>(samples.size())));
    }
    try {
      evaluate(samples[i], outputs);
      ++succeeded_;
    } catch (Error& error) {
      throw error.in(format("sample {}", shorten(samples[i].name)));
    }
  }
}

void DataRun::take(Sample sample) {
  // A comparison may be of other outputs than scores.
  if (samples_ == 0 && comparison_ == nullptr) judge_.choose_metric(sample, file_ || predictor_);
  samples_ += std::max<std::int64_t>(1, static_cast<std::int64_t>(sample.labels.size()));
  if (!batch_.empty() && !fits_batch(batch_.front(), sample)) flush();
  std::int64_t bytes = 1;
  for (const auto& [name, value] : sample.inputs) {
    if (value.is_tensor()) bytes += value.tensor().size_bytes();
  }
  const bool is_joined = most_batched_ > 1 && fits_batch(sample, sample);
  batch_.push_back(std::move(sample));
  const std::int64_t most = std::clamp<std::int64_t>(max_batch_bytes / bytes, 1, most_batched_);
  if (!is_joined || static_cast<std::int64_t>(batch_.size()) >= most) flush();
}

/// All samples, or those of the shard.
void DataRun::choose_samples() {
  end_ = set_->size();
  if (shard_ == nullptr) return;
  EvaluationPart& part = shard_->part;
  part.task.items = end_;
  part.task.data = set_->identity();
  part.items = items_of(part.task.shard, end_, first_most_batched_);
  std::tie(begin_, end_) = part.items;
  set_->skip(begin_);
}

DataTimes DataRun::run() {
  Progress progress(invocation_.task(), "evaluating");
  choose_samples();
  for (std::int64_t i = begin_; i < end_; ++i) {
    invocation_.stop.poll();
    progress.tell_done(i - begin_, end_ - begin_);
    // Batches are the same whoever runs them.
    if (i % first_most_batched_ == 0) flush();
    std::optional<Sample> sample;
    try {
      sample = set_->next();
    } catch (const Error& error) {
      ++samples_;
      fail(std::to_string(i), error);
      continue;
    }
    take(std::move(*sample));
  }
  flush();
  if (file_) file_->commit();
  if (!run_ms_.empty()) times_.run_ms = median_ms(run_ms_);
  report();
  return times_;
}

void DataRun::report() {
  const bool is_part = shard_ != nullptr;
  EvaluationResult found;
  found.samples = samples_;
  found.succeeded = succeeded_;
  found.failed = std::move(failed_);
  found.nan_samples = nan_samples_;
  found.first_nan_sample = first_nan_sample_;
  found.score = judge_.score();
  if (truth_ != nullptr) found.output_metric = truth_->metric();
  // Of a part, such a metric says nothing yet.
  if (truth_ != nullptr && succeeded_ > 0 && !is_part) found.whole = judge_.output_result();
  if (predictor_ && !file_) found.predictions = &predictions_;
  if (file_) found.file = file_->path();
  if (!found.failed.items().empty())
    invocation_.report.verdict = static_cast<int>(ErrorCode::invalid);
  if (is_part) {
    EvaluationPart& part = shard_->part;
    part.has_predictions = found.predictions != nullptr;
    part.classes.assign(classes_.begin(), classes_.end());
    if (truth_ != nullptr) part.output_state = judge_.output_state();
    if (has_checked_batches_ || most_batched_ != first_most_batched_)
      part.joins_batches = most_batched_ == first_most_batched_;
    shard_->found = found;
    shard_->found.predictions = nullptr;
    invocation_.report.text += shard_line({{}, part.task, part.items, {}}, "samples");
  }
  EvaluationReport report = describe_evaluation(std::move(found));
  if (is_part) {
    report.block.set("shard", Json::object()
                                  .set("shard", shard_->part.task.shard.to_string())
                                  .set("first", shard_->part.items.first)
                                  .set("end", shard_->part.items.second)
                                  .set("samples_of_all", shard_->part.task.items));
  } else if (!report.warning.empty()) {
    invocation_.warn(report.warning);
  }
  invocation_.report.text += report.text;
  invocation_.report.payload.set("dataset", std::move(report.block));
}

}  // namespace

OptionGroup data_options() {
  return {"Data sets",
          {
              {.name = "data",
               .value = "SET",
               .help = "run every sample of an .npz, images or a MANIFEST.json",
               .completes = Completion::files},
              {.name = "metric",
               .value = "METRIC",
               .help = "top1 (default with labels), top5, map, miou, or cosine to expected outputs",
               .choices = {"top1", "top5", "map", "miou", "cosine"}},
              detections_option(),
              {.name = "save-outputs",
               .value = "FILE",
               .help = "write each sample's outputs, or with --top its predictions: .jsonl or .csv",
               .completes = Completion::files},
              shard_option(),
              part_out_option(),
          }};
}

DataTimes run_data(Invocation& invocation, const Session& session, const RunOptions& run_options,
                   const DataRunOptions& options) {
  SampleContext context{invocation.task(), session.model().inputs(), session.outputs(),
                        options.images.recipes};
  context.image_warnings = options.images.warnings;
  context.casts_inputs = invocation.options.flag("cast");
  context.has_class_names = invocation.options.has("labels");
  const MetricOptions metric = read_metric_options(invocation.options);
  const std::string path = invocation.options.text("data");
  auto set = open_sample_set(path, std::move(context));
  if (set->files() != nullptr)
    invocation.report.payload.set("data_files", data_files_block({{path, *set->files()}}));
  refuse_unused_recipes(options.images.recipes, std::span(&set, 1));
  std::optional<GroundTruth> truth;
  if (compares_outputs(metric.metric))
    truth.emplace(metric, std::span(&path, 1), invocation.task());
  return DataRun(invocation, session, run_options, options, std::move(set), metric.metric,
                 truth ? &*truth : nullptr)
      .run();
}

}  // namespace ortool
