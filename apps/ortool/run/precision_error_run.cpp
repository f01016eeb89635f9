// Runs run --precision-error, and reports the nodes' errors and the plan.
#include "apps/ortool/run/precision_error_run.hpp"

#include <algorithm>
#include <cmath>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/shell_word.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/runtime/compact_session.hpp"
#include "libcore/verify/precision_error.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

/// Of --precision-error: a share, or nothing for `list`.
std::optional<double> budget_of(const OptionValues& options) {
  if (options.text("precision-error") == "list") return std::nullopt;
  return options.number("precision-error", 0);
}

/// Sessions of the model in --precision, but for nodes that the measurement or --keep-float keeps.
PrecisionSessions sessions_of(const Invocation& invocation, const PrecisionErrorRun& run,
                              const Model& model) {
  const Precision precision = chosen_precision(invocation.options).precision;
  return [&invocation, &run, &model, precision](const KeepsFloat& keeps_float) {
    const KeepsFloat given = kept_floats(invocation.options);
    const KeepsFloat keeps_either = [keeps_float, given](const Node& node) {
      return (given && given(node)) || (keeps_float && keeps_float(node));
    };
    std::vector<std::shared_ptr<const Provider>> providers(run.providers.begin(),
                                                           run.providers.end());
    for (std::shared_ptr<const Provider>& provider : providers) {
      if (provider->name() == "cpu") provider = cpu_provider_in(precision, {}, keeps_either);
    }
    SessionOptions options = session_options(invocation, std::move(providers), run.pool);
    options.on_step = {};
    return make_compact_session(copy_model(model), std::move(options));
  };
}

std::string decibels(double sqnr_db) {
  return std::isinf(sqnr_db) ? "exact" : fixed_number(sqnr_db, 1) + " dB";
}

Json error_block(const PrecisionError& error) {
  return Json::object()
      .set("output", error.output)
      .set("cosine_error", error.cosine_error)
      .set("sqnr_db", error.sqnr_db)
      .set("max_abs_error", error.max_abs_error);
}

Json report_block(const PrecisionErrorReport& found, std::optional<double> budget,
                  std::size_t samples) {
  Json nodes = Json::list();
  Json kept = Json::list();
  for (const NodePrecisionError& one : found.nodes) {
    Json node = error_block(one.error);
    nodes.add(node.set("node", one.node)
                  .set("op_type", one.op_type)
                  .set("kernel", one.kernel)
                  .set("kept", one.is_kept));
    if (one.is_kept) kept.add(one.node);
  }
  return Json::object()
      .set("budget", budget ? Json(*budget) : Json())
      .set("samples", samples)
      .set("all", error_block(found.all))
      .set("nodes", std::move(nodes))
      .set("keep_float", std::move(kept))
      .set("left", error_block(found.left));
}

std::string node_table(const PrecisionErrorReport& found) {
  constexpr std::size_t shown = 20;
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::left, Align::right, Align::right});
  table.add_row({"node", "operator", "kernel", "1 - cosine", "SQNR"});
  for (std::size_t i = 0; i < std::min(shown, found.nodes.size()); ++i) {
    const NodePrecisionError& one = found.nodes[i];
    table.add_row({shorten(one.node), one.op_type, one.kernel,
                   readable_number(one.error.cosine_error), decibels(one.error.sqnr_db)});
  }
  std::string text = table.to_string(2);
  if (found.nodes.size() > shown)
    text += format("  and {} more (--json lists all)\n", found.nodes.size() - shown);
  return text;
}

std::string plan_text(const PrecisionErrorReport& found, double budget) {
  std::string words;
  std::size_t kept = 0;
  for (const NodePrecisionError& one : found.nodes) {
    if (!one.is_kept) continue;
    words += " --keep-float " + shell_word(one.node);
    ++kept;
  }
  if (kept == 0) return format("within {} without exceptions\n", readable_number(budget));
  return format("within {} with {} of {} nodes in float32 (then 1 - cosine {}, SQNR {}):\n {}\n",
                readable_number(budget), kept, found.nodes.size(),
                readable_number(found.left.cosine_error), decibels(found.left.sqnr_db), words);
}

}  // namespace

void check_precision_error(const OptionValues& options, std::string_view model) {
  if (!options.has("precision-error")) return;
  if (options.text("precision", "float32") == "float32")
    throw no_effect("precision-error", "in float32", "add --precision bfloat16, or auto");
  if (model == "-") {
    throw Error(ErrorCode::invalid, "the model from standard input cannot be read twice",
                "give it as a file to measure its precision")
        .with_id("input.stream");
  }
  const PrecisionChoice choice = chosen_precision(options);
  if (choice.precision != Precision::float32) return;
  throw applies_to_nothing(
      format("option --precision-error: everything is in float32: {}", choice.reason),
      "give the 16-bit type with --precision");
}

void report_precision_error(Invocation& invocation, const PrecisionErrorRun& run) {
  if (run.samples.empty()) return;
  const OptionValues& options = invocation.options;
  LoadedModel loaded = load_model_at(run.model_path, {.cap = &invocation.memory});
  expose_chosen_outputs(options, *loaded.model);
  apply_shape_options(options, *loaded.model);
  const std::optional<double> budget = budget_of(options);
  const PrecisionErrorReport found =
      measure_precision_error(invocation.task(), sessions_of(invocation, run, *loaded.model),
                              run.samples, run.options, budget);
  invocation.report.payload.set("precision_error", report_block(found, budget, run.samples.size()));
  std::string& text = invocation.report.text;
  const std::string_view type = precision_name(chosen_precision(options).precision);
  if (found.nodes.empty()) {
    text += format("{}: no node of the model can be in 16 bits\n", type);
    return;
  }
  text += format("{} in {} nodes{}: 1 - cosine {}, SQNR {}; each of them alone:\n", type,
                 found.nodes.size(),
                 run.samples.size() > 1 ? format(", worst of {} samples", run.samples.size()) : "",
                 readable_number(found.all.cosine_error), decibels(found.all.sqnr_db));
  text += node_table(found);
  if (budget) text += plan_text(found, *budget);
}

}  // namespace ortool
