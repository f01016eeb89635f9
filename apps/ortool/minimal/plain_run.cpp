// A plain run: loads the model, gathers inputs, runs it and reports the outputs.
#include "apps/ortool/minimal/plain_run.hpp"

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "apps/ortool/run/output_report.hpp"
#include "apps/ortool/run/run_figures.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/dataset/class_names.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

void check_combinations(const OptionValues& options) {
  if (options.has("softmax") && !options.has("top") && !options.has("labels"))
    throw no_effect("softmax", "without --top", "add --top 5");
  if (options.has("output-format") && !options.has("output-dir"))
    throw no_effect("output-format", "without --output-dir", "add --output-dir DIR");
  const bool has_json = options.flag("json") || options.text("format") == "json";
  if (options.text("output-dir") == "-" && has_json)
    throw no_effect("json", "with --output-dir -", "leave one of them out");
}

std::unique_ptr<Session> make_session(const Invocation& invocation, std::unique_ptr<Model> model,
                                      std::vector<std::shared_ptr<const Provider>> providers,
                                      ThreadPool& pool, RunTimes& times) {
  const Stopwatch watch;
  SessionOptions options = session_options(invocation, std::move(providers), pool);
  use_cache(invocation.options, options);
  auto session = make_compact_session(std::move(model), std::move(options));
  times.compile_ms = watch.milliseconds();
  check_pinned_providers(invocation.options, *session);
  check_kept_floats(invocation.options, *session);
  return session;
}

}  // namespace

void run_plain(Invocation& invocation) {
  const OptionValues& options = invocation.options;
  Report& report = invocation.report;
  check_combinations(options);
  check_execution_options(options);
  std::vector<std::shared_ptr<const Provider>> providers = choose_providers(invocation);
  std::vector<std::string> labels;
  if (options.has("labels")) labels = read_labels(options.text("labels"), &invocation.memory);
  RunOptions run_options;
  run_options.threads = thread_count(options);
  tell_threads(invocation);
  run_options.stop = &invocation.stop;

  RunTimes times;
  LoadedModel loaded = load_model_argument(invocation);
  times.load_ms = loaded.load_ms;
  in_file(loaded.path, [&] { expose_chosen_outputs(options, *loaded.model); });
  apply_shape_options(options, *loaded.model);
  invocation.stop.poll();
  const std::vector<GivenInput> inputs =
      gather_inputs(invocation, *loaded.model, {}, invocation.arguments.subspan(1));
  invocation.stop.poll();
  ThreadPool pool(run_options.threads);
  in_file(loaded.path, [&] {
    const std::unique_ptr<Session> session =
        make_session(invocation, std::move(loaded.model), std::move(providers), pool, times);
    invocation.stop.poll();
    const NamedValues values = named_values(inputs);
    std::vector<RunValue> results;
    run_iterations(invocation, times, [&](Progress* progress, bool) {
      run_options.progress = progress;
      results = session->run(values, run_options);
    });
    const std::vector<Output> outputs = pick_outputs(options, *session, std::move(results));
    Json given = Json::list();
    for (const GivenInput& input : inputs)
      given.add(input_block(input.name, input.value, input.source));
    report.payload.set("inputs", std::move(given));
    report_outputs(invocation, outputs, labels);
    report_iterations(invocation, times);
    report.payload.set("comparison", Json::list());
    report_figures(invocation, *session, {}, times, true);
  });
  if (options.text("output-dir") == "-") report.text.clear();
}

}  // namespace ortool
