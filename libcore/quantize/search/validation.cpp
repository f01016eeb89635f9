// Validation by labels, by similarity to the float model, or by a value a command prints.
#include "libcore/quantize/search/validation.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <unistd.h>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/shell_command.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/base/strings/shell_word.hpp"
#include "libcore/check/save_checked.hpp"
#include "libcore/dataset/sample_judge.hpp"
#include "libcore/quantize/search/candidate.hpp"

namespace ortool {
namespace {

/// For comparing sums of doubles that should be equal.
constexpr double slack = 1e-12;

/// A private temporary folder, deleted with its content on destruction.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ortool-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorCode::write_failed,
                  format("cannot create a folder for the model: {}", error_text(errno)),
                  "free disk space, or set TMPDIR")
          .with_id("output.write")
          .in(pattern);
    }
    path_ = std::move(pattern);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file() const { return (path_ / "model.onnx").string(); }

 private:
  std::filesystem::path path_;
};

Error failed_command(const std::string& command, std::string what) {
  Error error(ErrorCode::invalid,
              format("{} cmd: {} {}", setting_name("metric"), quote(command), std::move(what)),
              "it is called with the model's path, and its last line must be a number");
  error.with_id("quantize.metric");
  return error;
}

/// The last nonblank line.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

double mcnemar_chance(std::int64_t lost, std::int64_t gained) {
  const std::int64_t count = lost + gained;
  if (count == 0) return 1;
  double tail = 0;
  const auto n = static_cast<double>(count);
  for (std::int64_t k = 0; k <= std::min(lost, gained); ++k) {
    const auto each = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(each + 1) - std::lgamma(n - each + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

Validation::Validation(const QuantizeContext& context, const Budget& budget, const Model& prepared,
                       const Session& floats)
    : context_(context), budget_(budget), floats_(floats) {
  role_ = context.data.has(DataRole::validation) ? DataRole::validation : DataRole::calibration;
  const bool needs_set = budget.metric != BudgetMetric::command;
  if (needs_set && !context.data.has(role_)) {
    throw Error(ErrorCode::invalid, "there is no data to evaluate models with",
                format("add {} SET, or {} cmd:COMMAND", setting_name("validation-data"),
                       setting_name("metric")))
        .with_id("usage.validation_data");
  }
  if (compares_outputs(budget.outputs.metric)) {
    truth_ = std::make_unique<const GroundTruth>(budget.outputs, context.data.paths(role_),
                                                 context.task);
  }
  float_score_ = judge(prepared);
  if (needs_set) {
    samples_ = CalibrationData(context.task, context.data, role_, floats.model().inputs(),
                               floats.outputs())
                   .size();
  }
}

CandidateScore Validation::judge_labels(const Session& session) const {
  CalibrationData data(context_.task, context_.data, role_, floats_.model().inputs(),
                       floats_.outputs());
  const std::vector<std::string>& known = context_.data.class_names;
  SampleJudge judge(session, known.empty() ? data.class_names() : known,
                    budget_.metric == BudgetMetric::top1 ? Metric::top1 : Metric::top5);
  RunOptions options;
  options.threads = context_.machine.threads;
  options.stop = &context_.task.stop;
  CandidateScore model_score;
  Progress progress(context_.task, "evaluating");
  for (std::int64_t i = 0; i < data.size(); ++i) {
    progress.tell_done(i, data.size());
    const Sample sample = data.sample(i);
    if (sample.labels.empty()) {
      throw Error(ErrorCode::invalid, format("sample {} has no label", quote(sample.name)),
                  format("metrics top1 and top5 need labeled data ({}); cosine and sqnr do not",
                         setting_name("validation-data")))
          .with_id("data.labels");
    }
    judge.choose_metric(sample, false);
    for (const double score : judge.judge(sample, session.run(sample.inputs, options)))
      model_score.is_right.push_back(score > 0 ? 1 : 0);
  }
  const auto right = std::count(model_score.is_right.begin(), model_score.is_right.end(), 1);
  model_score.value =
      model_score.is_right.empty()
          ? 0
          : static_cast<double>(right) / static_cast<double>(model_score.is_right.size());
  return model_score;
}

CandidateScore Validation::judge_ground_truth(const Session& session) const {
  CalibrationData data(context_.task, context_.data, role_, floats_.model().inputs(),
                       floats_.outputs());
  SampleJudge judge(session, {}, truth_->metric(), {}, truth_.get());
  RunOptions options;
  options.threads = context_.machine.threads;
  options.stop = &context_.task.stop;
  Progress progress(context_.task, "evaluating");
  for (std::int64_t i = 0; i < data.size(); ++i) {
    progress.tell_done(i, data.size());
    const Sample sample = data.sample(i);
    try {
      judge.judge(sample, session.run(sample.inputs, options));
    } catch (Error& error) {
      throw error.in(format("sample {}", shorten(sample.name)));
    }
  }
  CandidateScore model_score;
  model_score.value = judge.output_result().value;
  return model_score;
}

CandidateScore Validation::judge_outputs(const Session& session) const {
  CalibrationData data(context_.task, context_.data, role_, floats_.model().inputs(),
                       floats_.outputs());
  const std::vector<OutputError> outputs =
      compare_outputs(context_.task, context_.machine, floats_, session, data, data.size());
  CandidateScore model_score;
  model_score.value = 1;
  if (budget_.metric == BudgetMetric::sqnr) {
    model_score.value = worst_sqnr_db(outputs);
    return model_score;
  }
  for (const OutputError& output : outputs) {
    if (output.sums.count() > 0)
      model_score.value = std::min(model_score.value, output.sums.cosine());
  }
  return model_score;
}

CandidateScore Validation::run_command(const Model& model) const {
  const ScratchFolder folder;
  save_checked_model(model, folder.file(), {});
  const CommandEnd end =
      run_outside_command(budget_.command + " " + shell_word(folder.file()), context_.task.stop);
  context_.task.stop.poll();
  if (end.exit_code != 0)
    throw failed_command(budget_.command, format("ended with exit code {}", end.exit_code));
  CandidateScore model_score;
  const std::string number = last_line(end.output);
  if (!read_number(number, model_score.value) || std::isnan(model_score.value))
    throw failed_command(budget_.command, format("printed {} as its last line", quote(number)));
  return model_score;
}

CandidateScore Validation::judge(const Model& model) const {
  if (budget_.metric == BudgetMetric::command) return run_command(model);
  const auto session = make_session(context_.task, context_.machine, model, OptimizeLevel::all);
  if (truth_ != nullptr) return judge_ground_truth(*session);
  return counts_labels(budget_.metric) ? judge_labels(*session) : judge_outputs(*session);
}

double Validation::least() const {
  const double before = float_score_.value;
  const double drop = *budget_.drop;
  switch (budget_.metric) {
    case BudgetMetric::sqnr:
      return drop > 0 ? -10 * std::log10(drop) : std::numeric_limits<double>::infinity();
    case BudgetMetric::cosine:
      return 1 - drop;
    case BudgetMetric::command:
      return before - (budget_.is_share ? drop * std::abs(before) : drop);
    default:
      return before - drop;
  }
}

bool Validation::is_within(const CandidateScore& model_score) const {
  return !budget_.drop || model_score.value >= least() - slack;
}

Accuracy Validation::accuracy(const CandidateScore& model_score) const {
  Accuracy result;
  result.metric = budget_.metric;
  result.before = float_score_.value;
  result.after = model_score.value;
  if (budget_.drop) result.least = least();
  result.count = samples_;
  if (!counts_labels(budget_.metric)) return result;
  result.count = static_cast<std::int64_t>(model_score.is_right.size());
  for (std::size_t i = 0; i < model_score.is_right.size(); ++i) {
    result.lost += float_score_.is_right[i] > model_score.is_right[i] ? 1 : 0;
    result.gained += float_score_.is_right[i] < model_score.is_right[i] ? 1 : 0;
  }
  result.p_value = mcnemar_chance(result.lost, result.gained);
  return result;
}

}  // namespace ortool
