// Labels sample by sample, outputs beside the float model's, or a number that a command prints.
#include "apps/ortool/quantize/validation.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <unistd.h>

#include "apps/ortool/quantize/candidate.hpp"
#include "apps/ortool/quantize/outside_command.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/output_report.hpp"
#include "apps/ortool/run/sample_judge.hpp"
#include "apps/ortool/shell_word.hpp"
#include "apps/ortool/suggest.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/save_checked.hpp"

namespace ortool {
namespace {

constexpr std::string_view command_prefix = "cmd:";
/// Sums of doubles that should be equal.
constexpr double slack = 1e-12;

std::string_view name_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::top1:
      return "top1";
    case Judgement::top5:
      return "top5";
    case Judgement::cosine:
      return "cosine";
    case Judgement::sqnr:
      return "sqnr";
    case Judgement::command:
      return "cmd";
  }
  return {};
}

bool counts_labels(Judgement judgement) {
  return judgement == Judgement::top1 || judgement == Judgement::top5;
}

/// A folder of the user's own that goes with this, and all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ortool-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorCode::write_failed,
                  format("no folder for the model can be made: {}", error_text(errno)),
                  "make room, or set TMPDIR")
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
  Error error(ErrorCode::invalid, format("--metric cmd: {} {}", quote(command), std::move(what)),
              "it is called with the model's path, and its last line must be a number");
  error.with_id("quantize.metric");
  return error;
}

/// The last line that holds something.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

std::string judged_text(Judgement judgement, double value) {
  if (counts_labels(judgement)) return fixed_number(value * 100, 2) + " %";
  return judgement == Judgement::sqnr ? fixed_number(value, 1) + " dB" : fixed_number(value, 6);
}

}  // namespace

std::optional<Budget> read_budget(const OptionValues& options) {
  if (!options.has("metric") && !options.has("max-drop")) return std::nullopt;
  Budget budget;
  const std::string metric = options.text("metric", "top1");
  if (metric.starts_with(command_prefix)) {
    budget.judgement = Judgement::command;
    budget.command = metric.substr(command_prefix.size());
    if (budget.command.find_first_not_of(' ') == std::string::npos) {
      throw Error(ErrorCode::invalid, "option --metric: cmd: names no command",
                  "such as cmd:./evaluate.sh, which is called with the model's path")
          .with_id("usage.value");
    }
  } else {
    std::vector<std::string> known;
    bool is_known = false;
    for (const Judgement each :
         {Judgement::top1, Judgement::top5, Judgement::cosine, Judgement::sqnr}) {
      known.emplace_back(name_of(each));
      if (metric != name_of(each)) continue;
      budget.judgement = each;
      is_known = true;
    }
    known.emplace_back("cmd:COMMAND");
    if (!is_known) throw unknown_name("metric", metric, "metrics", known);
  }
  if (!options.has("max-drop")) return budget;
  std::string text = options.text("max-drop");
  budget.is_share = text.ends_with('%');
  if (budget.is_share) text.pop_back();
  double drop = 0;
  if (!read_number(text, drop) || !(drop >= 0)) {
    throw Error(
        ErrorCode::invalid,
        format("option --max-drop: {} is no number from 0", quote(options.text("max-drop"))),
        "such as 0.01, or 1%")
        .with_id("usage.value");
  }
  budget.drop = budget.is_share ? drop / 100 : drop;
  const bool is_of_one = budget.judgement != Judgement::command || budget.is_share;
  if (is_of_one && *budget.drop >= 1) {
    throw Error(
        ErrorCode::invalid,
        format("option --max-drop: {} is all there is to lose", quote(options.text("max-drop"))),
        "a hundredth is 0.01 or 1%")
        .with_id("usage.value");
  }
  return budget;
}

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
  const OptionValues& options = context.invocation.options;
  option_ = options.has("validation-data") ? "validation-data" : "calibration-data";
  const bool needs_set = budget.judgement != Judgement::command;
  if (needs_set && !options.has(option_)) {
    throw Error(ErrorCode::invalid, "there is no data to judge models on",
                "add --validation-data SET, or --metric cmd:COMMAND")
        .with_id("usage.validation_data");
  }
  floats_worth_ = judge(prepared);
  if (needs_set) {
    samples_ = CalibrationData(context.invocation, option_, floats.model().graph->inputs(),
                               floats.outputs())
                   .size();
  }
}

Worth Validation::judge_labels(const Session& session) const {
  CalibrationData data(context_.invocation, option_, floats_.model().graph->inputs(),
                       floats_.outputs());
  const OptionValues& given = context_.invocation.options;
  const std::vector<std::string> classes =
      given.has("labels") ? read_labels(given.text("labels"), &context_.invocation.memory)
                          : data.class_names();
  SampleJudge judge(context_.invocation.options, session, classes);
  RunOptions options;
  options.threads = context_.machine.threads;
  options.stop = &context_.invocation.stop;
  Worth worth;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const Sample sample = data.sample(i);
    if (sample.labels.empty()) {
      throw Error(ErrorCode::invalid, format("sample {} has no label", quote(sample.name)),
                  "metrics top1 and top5 need labelled data (--validation-data); cosine and sqnr "
                  "do not")
          .with_id("data.labels");
    }
    judge.choose_metric(sample, false);
    for (const double score : judge.judge(sample, session.run(sample.inputs, options)))
      worth.is_right.push_back(score > 0 ? 1 : 0);
  }
  const auto right = std::count(worth.is_right.begin(), worth.is_right.end(), 1);
  worth.value = worth.is_right.empty()
                    ? 0
                    : static_cast<double>(right) / static_cast<double>(worth.is_right.size());
  return worth;
}

Worth Validation::judge_outputs(const Session& session) const {
  CalibrationData data(context_.invocation, option_, floats_.model().graph->inputs(),
                       floats_.outputs());
  const std::vector<OutputError> outputs =
      compare_outputs(context_.invocation, context_.machine, floats_, session, data, data.size());
  Worth worth;
  worth.value = 1;
  if (budget_.judgement == Judgement::sqnr) {
    worth.value = worst_sqnr_db(outputs);
    return worth;
  }
  for (const OutputError& output : outputs) {
    if (output.sums.count() > 0) worth.value = std::min(worth.value, output.sums.cosine());
  }
  return worth;
}

Worth Validation::run_command(const Model& model) const {
  const ScratchFolder folder;
  save_checked_model(model, folder.file(), {});
  const CommandEnd end = run_outside_command(budget_.command + " " + shell_word(folder.file()),
                                             context_.invocation.stop);
  context_.invocation.stop.poll();
  if (end.exit_code != 0)
    throw failed_command(budget_.command, format("ended with {}", end.exit_code));
  Worth worth;
  const std::string number = last_line(end.output);
  if (!read_number(number, worth.value) || std::isnan(worth.value))
    throw failed_command(budget_.command, format("ended its output with {}", quote(number)));
  return worth;
}

Worth Validation::judge(const Model& model) const {
  if (budget_.judgement == Judgement::command) return run_command(model);
  const auto session =
      make_session(context_.invocation, context_.machine, model, OptimizeLevel::all);
  return counts_labels(budget_.judgement) ? judge_labels(*session) : judge_outputs(*session);
}

double Validation::least() const {
  const double before = floats_worth_.value;
  const double drop = *budget_.drop;
  switch (budget_.judgement) {
    case Judgement::sqnr:
      return drop > 0 ? -10 * std::log10(drop) : std::numeric_limits<double>::infinity();
    case Judgement::cosine:
      return 1 - drop;
    case Judgement::command:
      return before - (budget_.is_share ? drop * std::abs(before) : drop);
    default:
      return before - drop;
  }
}

bool Validation::is_within(const Worth& worth) const {
  return !budget_.drop || worth.value >= least() - slack;
}

Json Validation::block(const Worth& worth) const {
  Json block = Json::object()
                   .set("metric", name_of(budget_.judgement))
                   .set("n", counts_labels(budget_.judgement)
                                 ? static_cast<std::int64_t>(worth.is_right.size())
                                 : samples_)
                   .set("before", floats_worth_.value)
                   .set("after", worth.value)
                   .set("least", budget_.drop ? Json(least()) : Json());
  if (!counts_labels(budget_.judgement)) return block;
  std::int64_t lost = 0;
  std::int64_t gained = 0;
  for (std::size_t i = 0; i < worth.is_right.size(); ++i) {
    lost += floats_worth_.is_right[i] > worth.is_right[i] ? 1 : 0;
    gained += floats_worth_.is_right[i] < worth.is_right[i] ? 1 : 0;
  }
  return block.set("flips_lost", lost)
      .set("flips_gained", gained)
      .set("p_value", mcnemar_chance(lost, gained));
}

std::string Validation::text(const Worth& worth) const {
  const Json told = block(worth);
  std::string text = format("{}: {} -> {}", name_of(budget_.judgement),
                            judged_text(budget_.judgement, floats_worth_.value),
                            judged_text(budget_.judgement, worth.value));
  if (budget_.drop) text += format(" (at least {})", judged_text(budget_.judgement, least()));
  if (counts_labels(budget_.judgement)) {
    text += format(" of {}, {} lost and {} gained, p = {}", worth.is_right.size(),
                   told.find("flips_lost")->number(), told.find("flips_gained")->number(),
                   fixed_number(told.find("p_value")->number(), 3));
  }
  return text + "\n";
}

}  // namespace ortool
