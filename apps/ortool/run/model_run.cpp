// Runs a model, from loading to the report; each step polls the stop token.
#include "apps/ortool/run/model_run.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/judge_options.hpp"
#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/parts/joined_report.hpp"
#include "apps/ortool/parts/part_task.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/report/comparison_block.hpp"
#include "apps/ortool/report/lowering_report.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "apps/ortool/run/combinations.hpp"
#include "apps/ortool/run/compare_run.hpp"
#include "apps/ortool/run/data_run.hpp"
#include "apps/ortool/run/dump.hpp"
#include "apps/ortool/run/encoder_decoder_run.hpp"
#include "apps/ortool/run/loop_plan.hpp"
#include "apps/ortool/run/loop_report.hpp"
#include "apps/ortool/run/output_report.hpp"
#include "apps/ortool/run/precision_error_run.hpp"
#include "apps/ortool/run/repro.hpp"
#include "apps/ortool/run/run_figures.hpp"
#include "apps/ortool/run/test_folders.hpp"
#include "apps/ortool/run/variant_session.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/dataset/class_names.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/generate/decode_loop.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/cache_outputs.hpp"
#include "libcore/inspect/class_map.hpp"
#include "libcore/inspect/fp16_outputs.hpp"
#include "libcore/inspect/quantization.hpp"
#include "libcore/measure/trace.hpp"
#include "libcore/runtime/compact_session.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {
namespace {

/// One run of the command, from the loaded model to the report.
class ModelRun {
 public:
  explicit ModelRun(Invocation& invocation)
      : invocation_(invocation),
        options_(invocation.options),
        report_(invocation.report),
        judge_(read_judge_options(invocation.options)),
        variants_(read_variants(invocation.options)),
        plan_(read_loop_plan(invocation.options)) {}

  void run();

 private:
  bool is_data() const { return options_.has("data"); }
  /// The arguments after MODEL.
  std::span<const std::string> input_files() const { return invocation_.arguments.subspan(1); }
  bool is_test() const { return options_.flag("test") || options_.has("test-dir"); }
  std::unique_ptr<Session> make_session(std::unique_ptr<Model> model);
  /// Outputs computed from 16-bit floats are compared with their tolerances.
  void expect_quantized(const Model& model);
  void expect_fp16(Model& model);
  LoadedModel load();
  void gather(const Model& model);
  void run_once_or_more();
  void run_steps();
  LoopResult decode(std::vector<Output>& outputs);
  void write_trace() const;
  void report_inputs();
  void compare_with_reference(const std::vector<Output>& outputs);
  void compare_with_variants(const NamedValues& inputs, const std::vector<Output>& outputs);
  /// Of a run beside the one that is reported.
  RunOptions plain_run_options() const;
  void finish_report();
  void run_tests(const std::string& model_folder);
  void run_set();
  void write_part() const;

  Invocation& invocation_;
  const OptionValues& options_;
  Report& report_;
  Judge judge_;
  std::vector<std::shared_ptr<const Provider>> providers_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> labels_;
  std::vector<Variant> variants_;
  std::optional<ValueSet> reference_;  ///< of --expect
  LoopPlan plan_;
  std::vector<std::string> decoders_;  ///< files, of an encoder-decoder
  std::vector<Feedback> feedback_;
  std::unique_ptr<ValueDump> dump_;
  std::optional<Repro> repro_;
  std::string model_path_;
  std::vector<GivenInput> inputs_;
  ImagePreparation images_;        ///< of --data
  std::optional<ShardRun> shard_;  ///< of --shard
  Json comparison_ = Json::list();
  RunOptions run_options_;
  RunTimes times_;
  Profile profile_;
};

std::unique_ptr<Session> ModelRun::make_session(std::unique_ptr<Model> model) {
  const Stopwatch watch;
  SessionOptions options = session_options(invocation_, providers_, *pool_);
  use_cache(options_, options);
  auto session = make_compact_session(std::move(model), std::move(options));
  times_.compile_ms = watch.milliseconds();
  check_pinned_providers(options_, *session);
  check_kept_floats(options_, *session);
  if (options_.flag("explain")) {
    invocation_.report.payload.set("lowering", lowering_block(session->lowering()));
    invocation_.report.text += lowering_text(session->lowering());
  }
  return session;
}

void ModelRun::expect_quantized(const Model& model) {
  const std::set<std::string, std::less<>> caches = cache_outputs(model);
  if (!judge_.expect_quantized(caches)) return;
  invocation_.note(
      format("the model is quantized: float outputs pass with a cosine of 0.999 and the same top "
             "class{}",
             caches.empty() ? "" : ", caches with the cosine"));
}

void ModelRun::expect_fp16(Model& model) {
  if (!has_fp16(model)) return;
  infer_shapes(model);
  const std::string words = judge_.expect_fp16(fp16_outputs(model));
  if (!words.empty()) invocation_.note(words);
}

void ModelRun::run() {
  check_run_options(options_, input_files());
  check_execution_options(options_);
  check_precision_error(options_, invocation_.arguments.front());
  const std::optional<Shard> shard = read_shard_and_part(invocation_);
  providers_ = choose_providers(invocation_);
  for (const Variant& variant : variants_) check_variant(invocation_, variant);
  if (options_.has("expect")) reference_.emplace(options_.text("expect"), "output");
  if (options_.has("labels") && !compares_outputs(read_metric_options(options_).metric))
    labels_ = read_labels(options_.text("labels"), &invocation_.memory);
  run_options_.threads = thread_count(options_);
  tell_threads(invocation_);
  run_options_.stop = &invocation_.stop;

  LoadedModel loaded = load();
  times_.load_ms = loaded.load_ms;
  if (shard) {
    shard_.emplace();
    shard_->part.task = part_task(invocation_, "run", evaluation_kind, *shard, &loaded);
  }
  in_file(loaded.path, [&] { expose_chosen_outputs(options_, *loaded.model); });
  if (reference_) reference_->check_all_known(loaded.model->outputs());
  if (options_.has("save-repro")) {
    repro_.emplace(options_.text("save-repro"));
    repro_->save(*loaded.model);
  }
  apply_shape_options(options_, *loaded.model);
  if (is_test() && is_quantized(*loaded.model)) expect_quantized(*loaded.model);
  if (is_test()) judge_.expect_class_maps(class_maps(*loaded.model));
  if (is_test() || options_.has("expect") || options_.has("compare")) expect_fp16(*loaded.model);
  invocation_.stop.poll();
  if (!is_test() && !is_data()) gather(*loaded.model);
  if (is_data()) {
    images_.recipes = read_image_recipes(invocation_, *loaded.model);
    for (const Value* input : loaded.model->inputs()) {
      images_.warnings.emplace(input->name(),
                               image_warning(*loaded.model, *input, images_.recipes));
    }
  }
  if (options_.has("dump"))
    dump_ = std::make_unique<ValueDump>(options_, *loaded.model, invocation_.memory);
  invocation_.stop.poll();
  pool_ = std::make_unique<ThreadPool>(run_options_.threads);
  model_path_ = loaded.path;
  in_file(loaded.path, [&] {
    session_ = make_session(std::move(loaded.model));
    invocation_.stop.poll();
    if (is_test()) {
      run_tests(loaded.folder);
    } else if (is_data()) {
      run_set();
    } else if (options_.has("loop")) {
      run_steps();
    } else {
      run_once_or_more();
    }
  });
}

LoadedModel ModelRun::load() {
  if (!plan_.is_automatic) return load_model_argument(invocation_);
  LoadedModel loaded = load_model_at(first_model_of_loop(plan_, invocation_.arguments.front()),
                                     {.cap = &invocation_.memory});
  describe_model_argument(invocation_, loaded);
  decoders_ = find_decoders(plan_, loaded.path);
  return loaded;
}

void ModelRun::gather(const Model& model) {
  if (options_.has("loop") && decoders_.empty()) {
    feedback_ = plan_.is_automatic
                    ? usual_feedback(model, invocation_.task())
                    : parse_feedback(options_.all("loop"), model, invocation_.task());
  }
  inputs_ = gather_inputs(invocation_, model, fed_inputs(feedback_), input_files());
  add_empty_inputs(invocation_.task(), model, feedback_, inputs_);
  if (!repro_) return;
  repro_->save_inputs(inputs_, model.inputs());
  repro_->save_command(invocation_, "ortool run . --test");
}

void ModelRun::run_tests(const std::string& model_folder) {
  Json tests = Json::list();
  const bool have_passed =
      run_test_folders(invocation_, *session_, run_options_, judge_,
                       find_test_folders(options_.text("test-dir", model_folder)), tests);
  report_.verdict = have_passed ? 0 : static_cast<int>(ErrorCode::negative_result);
  report_.payload.set("inputs", Json::list()).set("outputs", Json::list());
  report_.payload.set("tests", std::move(tests));
  finish_report();
}

void ModelRun::run_set() {
  std::optional<DataComparison> comparison;
  if (!variants_.empty())
    comparison.emplace(invocation_, variants_, *session_, model_path_, judge_);
  std::vector<NamedValues> samples;
  DataRunOptions data{labels_, images_, comparison ? &*comparison : nullptr};
  if (shard_) data.shard = &*shard_;
  if (options_.has("precision-error")) {
    data.kept_inputs = &samples;
    data.most_kept = max_measured_samples;
  }
  const DataTimes times = run_data(invocation_, *session_, run_options_, data);
  const bool has_passed = !comparison || comparison->report(comparison_);
  if (!has_passed && report_.verdict == 0)
    report_.verdict = static_cast<int>(ErrorCode::negative_result);
  times_.first_run_ms = times.first_run_ms;
  times_.run_ms = times.run_ms;
  report_.payload.set("inputs", Json::list()).set("outputs", Json::list());
  report_precision_error(invocation_,
                         {model_path_, providers_, *pool_, samples, plain_run_options()});
  finish_report();
  if (shard_) write_part();
}

void ModelRun::write_part() const {
  const EvaluationPart& part = shard_->part;
  Json document = unfinished_document(report_);
  // The samples tell more.
  std::erase_if(document.members(), [](const auto& each) { return each.first == "dataset"; });
  write_part_file(
      {options_.text("part-out"), part.task, part.items, part.payload(shard_->found, document)});
}

void ModelRun::run_steps() {
  const bool has_trace = options_.has("trace");
  run_options_.profile = has_trace ? &profile_ : nullptr;
  std::vector<Output> outputs;
  LoopResult result = decode(outputs);
  report_loop(result, labels_, report_);
  const std::size_t steps = result.step_ms.size();
  times_.first_run_ms = times_.run_ms = result.step_ms.front();
  if (result.step_ms.size() > 1) {
    result.step_ms.erase(result.step_ms.begin());
    times_.run_ms = median_ms(std::move(result.step_ms));
  }
  report_.text += format("{} steps: first {}, then {} (median)\n", steps,
                         readable_ms(times_.first_run_ms), readable_ms(times_.run_ms));
  report_inputs();
  report_outputs(invocation_, outputs, {});
  if (has_trace) write_trace();
  finish_report();
}

/// The steps of --loop; `outputs` gets those of the last one.
LoopResult ModelRun::decode(std::vector<Output>& outputs) {
  const std::int64_t steps = options_.integer("steps", 1);
  if (decoders_.empty()) {
    LoopResult result = run_loop(invocation_.task(), *session_, run_options_, feedback_,
                                 named_values(inputs_), steps);
    outputs = pick_outputs(options_, *session_, std::move(result.outputs));
    return result;
  }
  EncoderDecoderRun run = run_encoder_decoder(
      {invocation_, plan_, *session_, std::filesystem::path(model_path_).parent_path().string(),
       providers_, *pool_, run_options_},
      decoders_, named_values(inputs_), steps);
  outputs = std::move(run.outputs);
  return std::move(run.loop);
}

void ModelRun::write_trace() const {
  write_file(options_.text("trace"),
             trace_text(*session_, profile_, {times_.load_ms, times_.compile_ms}));
}

void ModelRun::run_once_or_more() {
  NamedValues inputs = named_values(inputs_);
  report_inputs();
  // Each input is then freed once the last run has read it.
  const bool is_read_later = !variants_.empty() || options_.has("precision-error");
  inputs_.clear();
  const bool has_trace = options_.has("trace");
  std::vector<RunValue> values;
  run_iterations(invocation_, times_, [&](Progress* progress, bool is_last) {
    run_options_.progress = progress;
    // The last run is profiled: the first also makes the plan.
    run_options_.profile = has_trace && is_last ? &profile_ : nullptr;
    run_options_.observer = is_last ? dump_.get() : nullptr;
    values = is_last && !is_read_later ? session_->run(std::move(inputs), run_options_)
                                       : session_->run(inputs, run_options_);
  });
  run_options_.observer = nullptr;
  run_options_.progress = nullptr;
  const std::vector<Output> outputs = pick_outputs(options_, *session_, std::move(values));
  report_outputs(invocation_, outputs, labels_);
  if (dump_ != nullptr) report_.payload.set("dump", dump_->finish(invocation_));
  if (repro_) repro_->save_outputs(outputs);
  compare_with_reference(outputs);
  compare_with_variants(inputs, outputs);
  if (options_.has("precision-error")) {
    report_precision_error(invocation_,
                           {model_path_, providers_, *pool_, {&inputs, 1}, plain_run_options()});
  }
  if (has_trace) write_trace();
  report_iterations(invocation_, times_);
  finish_report();
}

void ModelRun::report_inputs() {
  Json list = Json::list();
  for (const GivenInput& input : inputs_) {
    list.add(input_block(input.name, input.value, input.source));
  }
  report_.payload.set("inputs", std::move(list));
}

void ModelRun::compare_with_reference(const std::vector<Output>& outputs) {
  if (!reference_) return;
  for (const Output& output : outputs) {
    const auto expected = reference_->find(*session_->outputs()[output.position], output.position,
                                           invocation_.memory);
    if (!expected) {
      invocation_.warn(format("output {} has no reference", quote(output.name)));
      continue;
    }
    const Judge::Verdict verdict =
        judge_.compare_output(output.name, output.value, expected->value);
    comparison_.add(comparison_block(output.name, expected->source, verdict));
    report_.text += verdict.has_passed
                        ? format("{}: as expected (max error {})\n", shorten(output.name),
                                 readable_number(verdict.comparison.max_abs_error))
                        : format("{}: DIFFERENT ({})\n", shorten(output.name), verdict.reason);
    if (!verdict.has_passed) report_.verdict = static_cast<int>(ErrorCode::negative_result);
  }
  if (comparison_.items().empty()) {
    throw applies_to_nothing("option --expect: none of the selected outputs has a reference",
                             "select others with --outputs");
  }
}

void ModelRun::compare_with_variants(const NamedValues& inputs,
                                     const std::vector<Output>& outputs) {
  const ReferenceRun reference{{*session_, inputs, plain_run_options()}, outputs, model_path_};
  for (const Variant& variant : variants_) {
    invocation_.stop.poll();
    if (compare_with_variant(invocation_, variant, reference, judge_, comparison_)) continue;
    report_.verdict = static_cast<int>(ErrorCode::negative_result);
  }
}

RunOptions ModelRun::plain_run_options() const {
  RunOptions plain = run_options_;
  plain.profile = nullptr;
  return plain;
}

void ModelRun::finish_report() {
  report_.payload.set("comparison", std::move(comparison_));
  report_figures(invocation_, *session_, profile_, times_, !is_test());
  if (repro_) repro_->save_report(invocation_, "run");
  if (options_.text("output-dir") == "-") report_.text.clear();
}

}  // namespace

void run_model(Invocation& invocation) {
  ModelRun(invocation).run();
}

}  // namespace ortool
