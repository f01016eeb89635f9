// ortool run: computes a model's outputs, shows, stores and compares them.
#include <algorithm>

#include <sys/resource.h>

#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/judge.hpp"
#include "apps/ortool/run/output_files.hpp"
#include "apps/ortool/run/tensor_block.hpp"
#include "apps/ortool/run/tensor_set.hpp"
#include "apps/ortool/run/test_folders.hpp"
#include "apps/ortool/run/trace.hpp"
#include "libcore/base/atomic_file.hpp"
#include "libcore/base/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_label_bytes = 64 << 20;
constexpr std::int64_t most_repeats = 1'000'000'000;

struct RunTimes {
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  double run_ms = 0;
};

std::int64_t peak_resident_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels = split(read_text_file(path, most_label_bytes), '\n');
  if (!labels.empty() && labels.back().empty()) labels.pop_back();
  for (std::string& label : labels) {
    if (label.ends_with('\r')) label.pop_back();
  }
  if (labels.empty()) {
    throw Error(ErrorCode::invalid, format("{}: holds no labels", path), "write one label a line")
        .with_id("input.labels");
  }
  return labels;
}

/// One run of the command, from the loaded model to the report.
class ModelRun {
 public:
  explicit ModelRun(Invocation& invocation)
      : invocation_(invocation),
        options_(invocation.options),
        report_(invocation.report),
        judge_(invocation.options) {}

  void run();

 private:
  bool is_test() const { return options_.flag("test") || options_.has("test-dir"); }
  void check_combinations() const;
  std::unique_ptr<Session> make_session(std::unique_ptr<Model> model);
  void run_once_or_more();
  std::vector<Output> choose_outputs(std::vector<Tensor> tensors) const;
  void report_inputs();
  void report_outputs(const std::vector<Output>& outputs);
  std::vector<std::vector<TopEntry>> find_top(const std::vector<Output>& outputs) const;
  void write_top(const Output& output, std::span<const TopEntry> entries);
  void compare_with_reference(const std::vector<Output>& outputs);
  void report_placement();
  void report_figures();
  void run_tests(const std::string& model_folder);

  Invocation& invocation_;
  const OptionValues& options_;
  Report& report_;
  Judge judge_;
  std::vector<std::shared_ptr<const Provider>> providers_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> labels_;
  std::vector<GivenInput> inputs_;
  Json comparison_ = Json::list();
  RunOptions run_options_;
  RunTimes times_;
  Profile profile_;
};

void ModelRun::check_combinations() const {
  const auto refuse = [](std::string_view option, std::string_view other) {
    throw Error(ErrorCode::invalid, format("option --{} has no effect with --{}", option, other),
                "leave one of them out")
        .with_id("usage.applies_to_nothing");
  };
  if (options_.flag("test") && options_.has("test-dir")) refuse("test", "test-dir");
  if (!is_test()) return;
  const std::string_view test = options_.has("test-dir") ? "test-dir" : "test";
  for (const char* option :
       {"input", "inputs", "input-dir", "random", "seed", "range", "image", "image-config",
        "expect", "output-dir", "output-format", "outputs", "top", "labels", "repeat", "profile"}) {
    if (options_.has(option)) refuse(option, test);
  }
}

std::unique_ptr<Session> ModelRun::make_session(std::unique_ptr<Model> model) {
  SessionOptions session_options;
  session_options.providers = providers_;
  session_options.strict_provider = options_.flag("strict-provider");
  session_options.pool = pool_.get();
  session_options.cap = &invocation_.memory;
  session_options.threads = run_options_.threads;
  const Progress progress(options_, invocation_.messages, "compiling");
  const Stopwatch watch;
  auto session = std::make_unique<Session>(std::move(model), std::move(session_options));
  times_.compile_ms = watch.milliseconds();
  return session;
}

void ModelRun::run() {
  check_combinations();
  check_execution_options(options_);
  providers_ = choose_providers(invocation_);
  if (options_.has("labels")) labels_ = read_labels(options_.text("labels"));
  run_options_.threads = thread_count(options_);
  run_options_.stop = &invocation_.stop;

  LoadedModel loaded = load_model_argument(invocation_);
  times_.load_ms = loaded.load_ms;
  apply_shape_options(options_, *loaded.model);
  invocation_.stop.poll();
  if (!is_test()) inputs_ = gather_inputs(invocation_, *loaded.model);
  invocation_.stop.poll();
  pool_ = std::make_unique<ThreadPool>(run_options_.threads);
  in_file(loaded.path, [&] {
    session_ = make_session(std::move(loaded.model));
    invocation_.stop.poll();
    if (is_test()) {
      run_tests(loaded.folder);
    } else {
      run_once_or_more();
    }
  });
}

void ModelRun::run_tests(const std::string& model_folder) {
  Json tests = Json::list();
  const Progress progress(options_, invocation_.messages, "testing");
  const bool have_passed =
      run_test_folders(invocation_, *session_, run_options_, judge_,
                       find_test_folders(options_.text("test-dir", model_folder)), tests);
  report_.verdict = have_passed ? 0 : static_cast<int>(ErrorCode::negative_result);
  report_.payload.set("inputs", Json::list()).set("outputs", Json::list());
  report_.payload.set("tests", std::move(tests));
  report_figures();
}

void ModelRun::run_once_or_more() {
  const std::int64_t repeats = options_.integer("repeat", 1, 1, most_repeats);
  const NamedTensors inputs = named_tensors(inputs_);
  const bool has_profile = options_.has("profile");
  std::vector<double> run_ms;
  std::vector<Tensor> tensors;
  {
    const Progress progress(options_, invocation_.messages, "running");
    for (std::int64_t i = 0; i < repeats; ++i) {
      // The last run is the one profiled: the first also makes the plan.
      run_options_.profile = has_profile && i + 1 == repeats ? &profile_ : nullptr;
      const Stopwatch watch;
      tensors = session_->run(inputs, run_options_);
      (i == 0 ? times_.first_run_ms : run_ms.emplace_back()) = watch.milliseconds();
      invocation_.stop.poll();
    }
  }
  times_.run_ms = run_ms.empty() ? times_.first_run_ms : median(std::move(run_ms));
  const std::vector<Output> outputs = choose_outputs(std::move(tensors));
  report_inputs();
  report_outputs(outputs);
  compare_with_reference(outputs);
  if (has_profile) {
    write_file(options_.text("profile"),
               trace_text(*session_, profile_, {times_.load_ms, times_.compile_ms}));
  }
  if (repeats > 1) {
    report_.text += format("{} runs: first {}, then {} (median)\n", repeats,
                           readable_ms(times_.first_run_ms), readable_ms(times_.run_ms));
  }
  report_figures();
}

std::vector<Output> ModelRun::choose_outputs(std::vector<Tensor> tensors) const {
  const std::vector<std::string> names = names_of(session_->outputs());
  std::vector<std::string> wanted = names;
  if (options_.has("outputs")) {
    wanted = split_name_list(options_.text("outputs"), names, "output", "outputs");
  }
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(wanted.begin(), wanted.end(), names[i]) == wanted.end()) continue;
    outputs.push_back({names[i], i, std::move(tensors[i])});
  }
  return outputs;
}

void ModelRun::report_inputs() {
  Json list = Json::list();
  for (const GivenInput& input : inputs_) {
    list.add(Json::object()
                 .set("name", input.name)
                 .set("dtype", name_of(input.tensor.type()))
                 .set("shape", shape_block(input.tensor.shape()))
                 .set("source", input.source));
  }
  report_.payload.set("inputs", std::move(list));
}

std::vector<std::vector<TopEntry>> ModelRun::find_top(const std::vector<Output>& outputs) const {
  std::vector<std::vector<TopEntry>> tops(outputs.size());
  if (!options_.has("top") && labels_.empty()) return tops;
  const std::int64_t count = options_.integer("top", 5, 1, 100000);
  bool has_any = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    tops[i] = top_entries(outputs[i].tensor, count);
    has_any = has_any || !tops[i].empty();
    const std::int64_t classes = class_count(outputs[i].tensor.shape());
    if (tops[i].empty() || labels_.empty() ||
        classes == static_cast<std::int64_t>(labels_.size())) {
      continue;
    }
    invocation_.warn(format("{} labels for the {} classes of output {}", labels_.size(), classes,
                            quote(outputs[i].name)));
  }
  if (!has_any) {
    throw Error(ErrorCode::invalid, "no output has scores that --top could rank",
                "leave --top and --labels out")
        .with_id("usage.applies_to_nothing");
  }
  return tops;
}

void ModelRun::write_top(const Output& output, std::span<const TopEntry> entries) {
  constexpr std::size_t most_lines = 100;
  const bool has_rows = entries.back().row > 0;
  TextTable table({TextTable::Align::right, TextTable::Align::left, TextTable::Align::right});
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < std::min(entries.size(), most_lines); ++i) {
    rank = i > 0 && entries[i].row == entries[i - 1].row ? rank + 1 : 1;
    const auto index = static_cast<std::size_t>(entries[i].index);
    const std::string label = index < labels_.size() ? labels_[index] : std::to_string(index);
    const std::string place =
        has_rows ? format("row {}: {}", entries[i].row, rank) : std::to_string(rank);
    table.add_row({place, label, readable_number(entries[i].value)});
  }
  report_.text += table.to_string(2);
  if (entries.size() > most_lines) {
    report_.text +=
        format("  ... and {} more of {}\n", entries.size() - most_lines, shorten(output.name));
  }
}

void ModelRun::report_outputs(const std::vector<Output>& outputs) {
  const auto tops = find_top(outputs);
  std::vector<std::string> files;
  if (options_.has("output-dir")) {
    files =
        write_outputs(options_.text("output-dir"), options_.text("output-format", "npy"), outputs);
  }
  Json list = Json::list();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    Json block = tensor_block(output.name, output.tensor);
    if (!files.empty()) block.set("file", files[i]);
    TextTable table;
    std::vector<std::string> cells = {output.name, type_text(output.tensor)};
    if (tops[i].empty()) cells.push_back(content_text(output.tensor));
    if (!files.empty()) cells.push_back("in " + files[i]);
    table.add_row(std::move(cells));
    report_.text += table.to_string();
    if (!tops[i].empty()) {
      write_top(output, tops[i]);
      block.set("top", top_block(tops[i], labels_, tops[i].back().row + 1));
    }
    list.add(std::move(block));
  }
  report_.payload.set("outputs", std::move(list));
}

void ModelRun::compare_with_reference(const std::vector<Output>& outputs) {
  if (!options_.has("expect")) {
    for (const char* option : {"rtol", "atol", "min-cosine", "same-top1"}) {
      if (!options_.has(option)) continue;
      throw Error(ErrorCode::invalid, format("option --{} has nothing to compare with", option),
                  "add --expect DIR or --test")
          .with_id("usage.applies_to_nothing");
    }
    return;
  }
  const TensorSet reference(options_.text("expect"), "output");
  reference.check_all_known(session_->outputs());
  for (const Output& output : outputs) {
    const auto expected =
        reference.find(*session_->outputs()[output.position], output.position, invocation_.memory);
    if (!expected) {
      invocation_.warn(format("output {} has no reference", quote(output.name)));
      continue;
    }
    const Judge::Verdict verdict = judge_.compare_output(output.tensor, expected->tensor);
    comparison_.add(comparison_block(output.name, expected->source, verdict));
    report_.text += verdict.has_passed
                        ? format("{}: as expected (max error {})\n", shorten(output.name),
                                 readable_number(verdict.comparison.max_abs_error))
                        : format("{}: DIFFERENT ({})\n", shorten(output.name), verdict.reason);
    if (!verdict.has_passed) report_.verdict = static_cast<int>(ErrorCode::negative_result);
  }
  if (comparison_.items().empty()) {
    throw Error(ErrorCode::invalid, "option --expect: none of the outputs chosen has a reference",
                "choose others with --outputs")
        .with_id("usage.applies_to_nothing");
  }
}

void ModelRun::report_placement() {
  const auto shares = provider_shares(*session_, profile_);
  std::vector<std::pair<std::string, Json>> reasons;
  std::vector<std::int64_t> counts;
  for (const Placement& placement : session_->placement()) {
    std::size_t i = 0;
    while (i < reasons.size() && reasons[i].first != placement.provider) ++i;
    if (i == reasons.size()) {
      reasons.emplace_back(placement.provider, Json::list());
      counts.push_back(0);
    }
    ++counts[i];
    for (const std::string& reason : placement.reasons) {
      reasons[i].second.add(Json::object().set("node", placement.node).set("reason", reason));
    }
  }
  Json list = Json::list();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    Json share;
    for (const auto& [provider, value] : shares) {
      if (provider == reasons[i].first) share = Json(value);
    }
    list.add(Json::object()
                 .set("provider", reasons[i].first)
                 .set("nodes", counts[i])
                 .set("share_of_time", std::move(share))
                 .set("copies_bytes", 0)
                 .set("reasons", std::move(reasons[i].second)));
  }
  report_.payload.set("placement", std::move(list));
}

void ModelRun::report_figures() {
  report_.payload.set("comparison", std::move(comparison_));
  report_placement();
  const auto time_or_null = [&](double milliseconds) {
    return is_test() ? Json() : Json(milliseconds);
  };
  report_.payload.set("timing", Json::object()
                                    .set("load_ms", times_.load_ms)
                                    .set("compile_ms", times_.compile_ms)
                                    .set("first_run_ms", time_or_null(times_.first_run_ms))
                                    .set("run_ms", time_or_null(times_.run_ms)));
  report_.payload.set(
      "memory", Json::object()
                    .set("peak_rss_bytes", peak_resident_bytes())
                    .set("arena_bytes", session_->arena_bytes())
                    .set("weight_bytes", session_->packed_bytes() + session_->constant_bytes()));
  invocation_.messages.info(format("load {}, compile {}, first run {}, peak memory {}",
                                   readable_ms(times_.load_ms), readable_ms(times_.compile_ms),
                                   readable_ms(times_.first_run_ms),
                                   readable_bytes(static_cast<double>(peak_resident_bytes()))));
}

class RunCommand : public Command {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "compute a model's outputs"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool run model.onnx", "with made-up data, to see that it runs"},
        {"ortool run model.onnx --input image=cat.png --top 5 --labels labels.txt",
         "what a classifier sees in a picture"},
        {"ortool run model.onnx --inputs in.npz --output-dir out", "from files to files"},
        {"ortool run model.onnx --test", "the test_data_set_N folders beside the model"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override { return {model_argument()}; }
  std::vector<OptionGroup> options() const override;
  void run(Invocation& invocation) const override { ModelRun(invocation).run(); }
};

std::vector<OptionGroup> RunCommand::options() const {
  const OptionGroup outputs = {
      "Outputs",
      {
          {.name = "outputs", .value = "A,B", .help = "only these"},
          {.name = "top", .value = "K", .help = "the K highest scores (with --labels: 5)"},
          {.name = "labels",
           .value = "FILE",
           .help = "names of the classes, one a line",
           .completes = Completes::files},
          {.name = "output-dir",
           .value = "DIR",
           .help = "write them to files called output_N, by position",
           .completes = Completes::folders},
          {.name = "output-format",
           .value = "FORMAT",
           .help = "npy (default), npz, pb or json",
           .choices = {"npy", "npz", "pb", "json"}},
      }};
  const OptionGroup tests = {
      "Tests",
      {
          {.name = "test", .help = "run the test_data_set_N folders beside the model"},
          {.name = "test-dir",
           .value = "DIR",
           .help = "run those in DIR",
           .completes = Completes::folders},
      }};
  const OptionGroup measuring = {
      "Measuring",
      {
          {.name = "repeat", .value = "N", .help = "run N times and tell the median time"},
          {.name = "profile",
           .value = "TRACE.json",
           .help = "write the last run as a Chrome trace",
           .completes = Completes::files},
      }};
  const OptionGroup planned = {
      "Planned",
      {
          {.name = "data", .value = "SET", .is_planned = true},
          {.name = "metric", .value = "METRIC", .is_planned = true},
          {.name = "save-outputs", .value = "FILE", .is_planned = true},
          {.name = "compare", .value = "WITH", .repeats = true, .is_planned = true},
          {.name = "dump", .value = "GLOB", .is_planned = true},
          {.name = "loop", .value = "PAST=PRESENT", .repeats = true, .is_planned = true},
          {.name = "steps", .value = "N", .is_planned = true},
          {.name = "save-repro", .value = "DIR", .is_planned = true},
      }};
  return {input_options(),     outputs,         judge_options(), tests,  provider_options(),
          execution_options(), shape_options(), measuring,       planned};
}

}  // namespace

std::unique_ptr<const Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace ortool
