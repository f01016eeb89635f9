// From the loaded model to the report; each step polls whether it shall stop.
#include "apps/ortool/run/model_run.hpp"

#include <algorithm>

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
#include "apps/ortool/run/output_report.hpp"
#include "apps/ortool/run/run_figures.hpp"
#include "apps/ortool/run/tensor_block.hpp"
#include "apps/ortool/run/tensor_set.hpp"
#include "apps/ortool/run/test_folders.hpp"
#include "apps/ortool/run/trace.hpp"
#include "libcore/base/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_repeats = 1'000'000'000;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
  void compare_with_reference(const std::vector<Output>& outputs);
  void finish_report();
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
  finish_report();
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
  report_outputs(invocation_, outputs, labels_);
  compare_with_reference(outputs);
  if (has_profile) {
    write_file(options_.text("profile"),
               trace_text(*session_, profile_, {times_.load_ms, times_.compile_ms}));
  }
  if (repeats > 1) {
    report_.text += format("{} runs: first {}, then {} (median)\n", repeats,
                           readable_ms(times_.first_run_ms), readable_ms(times_.run_ms));
  }
  finish_report();
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

void ModelRun::finish_report() {
  report_.payload.set("comparison", std::move(comparison_));
  report_figures(invocation_, *session_, profile_, times_, !is_test());
}

}  // namespace

void run_model(Invocation& invocation) {
  ModelRun(invocation).run();
}

}  // namespace ortool
