// Runs optimize: rewrites, verifies, writes and reports.
#include "apps/ortool/optimize/optimize_run.hpp"

#include <algorithm>

#include "apps/ortool/inspect/summary_block.hpp"
#include "apps/ortool/optimize/optimize_report.hpp"
#include "apps/ortool/optimize/optimize_settings.hpp"
#include "apps/ortool/optimize/rule_options.hpp"
#include "apps/ortool/optimize/verification_report.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/judge_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/lowering_report.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/repro.hpp"
#include "libcore/api/defined_ops.hpp"
#include "libcore/api/optimize.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {
namespace {

/// From this version on weights need not be inputs.
constexpr std::int64_t ir_version_of_free_weights = 4;

/// The model from standard input; empty if it is a file.
StandardInput read_model_input(const Invocation& invocation) {
  return invocation.arguments.front() == "-" ? read_standard_input(&invocation.memory)
                                             : StandardInput();
}

/// Random or given inputs of run `index`; `tells`: with warnings about assumptions.
NamedValues make_inputs(const Invocation& invocation, const Model& model, int index, bool tells) {
  if (tells) return named_values(gather_inputs(invocation, model));
  // Assumptions were reported for the first run.
  OptionValues options = invocation.options;
  options.set("seed", {format("{}", options.integer("seed", 0) + index)});
  Report ignored_report;
  Messages silent;
  silent.set_level(Verbosity::error);
  const Invocation changed{
      options,         invocation.arguments, invocation.commands,     ignored_report,  silent,
      invocation.stop, invocation.memory,    invocation.has_document, invocation.words};
  return named_values(gather_inputs(changed, model));
}

/// One run of the command.
class OptimizeRun {
 public:
  OptimizeRun(Invocation& invocation, const std::vector<RuleGroup>& groups)
      : invocation_(invocation),
        options_(invocation.options),
        report_(invocation.report),
        settings_(read_optimize_settings(options_, describe_passes(groups))),
        providers_(choose_verifying_providers(invocation)),
        groups_(groups),
        standard_input_(read_model_input(invocation)) {}

  void run();

 private:
  /// The model of the command line, unchanged.
  LoadedModel load_file() const;
  RewriteSource source() const;
  OptimizeOptions optimize_options();
  /// Writes a folder as run --save-repro does.
  void save_failing_part(FailingPart& part) const;
  /// Reads what the model that is rewritten has to have for it.
  void look_at_original(const Model& model);
  void report_rewrites(const Model& model, const OptimizeReport& done);
  /// Notes which inputs with a default become constants.
  void note_frozen_defaults(const Model& model);
  /// Tells that a newer opset would leave fewer nodes.
  void report_opset_gain(const OptimizeReport& done);
  void report_float_conversion(const FloatConversionReport& result);
  /// False when outputs differ.
  bool optimize_model(Model& model);
  bool report_verification(OptimizeReport& done);
  /// Of --embed-preprocessing: one entry an input; false where nodes prepare pictures wrongly.
  bool report_embeddings(const OptimizeReport& done, Json& block);
  void save(Model& model, const SaveTarget& target);

  Invocation& invocation_;
  const OptionValues& options_;
  Report& report_;
  OptimizeSettings settings_;
  std::vector<std::shared_ptr<const Provider>> providers_;
  const std::vector<RuleGroup>& groups_;
  StandardInput standard_input_;     ///< the model, where it comes from there
  std::vector<std::string> frozen_;  ///< inputs with a default that become constants
  bool is_rewritten_ = false;
};

LoadedModel OptimizeRun::load_file() const {
  if (standard_input_.owner == nullptr) return load_model_at(invocation_.arguments.front());
  LoadedModel loaded;
  loaded.path = "-";
  loaded.model =
      load_model_from_bytes(standard_input_.bytes, standard_input_.owner, "standard input", "");
  add_defined_ops(*loaded.model);
  resolve_legacy_defaults(*loaded.model);
  return loaded;
}

RewriteSource OptimizeRun::source() const {
  const auto list = [this](std::string_view option) {
    const auto given = options_.all(option);
    return std::vector<std::string>(given.begin(), given.end());
  };
  return {.load = [this] { return load_file().model; },
          .folder = find_model_argument(invocation_).folder,
          .fix_shapes = [this](Model& model) { apply_shape_options(options_, model); },
          .has_fixed_shapes = options_.has("dim") || options_.has("shape"),
          .extracted_inputs = list("extract-input"),
          .extracted_outputs = list("extract-output"),
          .embedded_pictures = list("embed-preprocessing")};
}

OptimizeOptions OptimizeRun::optimize_options() {
  OptimizeOptions options;
  static_cast<OptimizeSettings&>(options) = settings_;
  options.compute = compute_options(invocation_, providers_);
  options.groups = groups_;
  options.source = source();
  options.judge = read_judge_options(options_);
  options.inputs.make = [this](const Model& model, int index, bool tells) {
    return make_inputs(invocation_, model, index, tells);
  };
  options.inputs.are_given =
      options_.has("input") || options_.has("inputs") || options_.has("input-dir");
  options.inputs.takes_test_data = !options_.has("range");
  options.finds_opset_gain = true;
  options.finds_failing_part = options_.has("save-repro");
  options.on_prepared = [this](const Model& model) { look_at_original(model); };
  options.on_rewritten = [this](const Model& model, const OptimizeReport& done) {
    report_rewrites(model, done);
  };
  return options;
}

void OptimizeRun::save_failing_part(FailingPart& part) const {
  const Repro repro(options_.text("save-repro"));
  repro.save(*part.before);
  repro.save(*part.after, "optimized.onnx");
  std::vector<GivenInput> inputs;
  for (auto& [name, value] : part.inputs) inputs.push_back({name, value, ""});
  repro.save_inputs(inputs, part.before->inputs());
  std::vector<Output> outputs;
  for (const Value* value : part.before->outputs()) {
    const std::size_t position = outputs.size();
    outputs.push_back(
        {std::string(value->name()), position, std::move(part.outputs[position]), value->type()});
  }
  repro.save_outputs(outputs);
  repro.save_command(invocation_, "ortool run optimized.onnx --test");
  repro.save_report(invocation_, "optimize");
}

void OptimizeRun::run() {
  LoadedModel loaded = load_file();
  describe_model_argument(invocation_, loaded);
  const SaveTarget target = read_save_target(invocation_, loaded);
  note_frozen_defaults(*loaded.model);
  const bool may_save = in_file(loaded.path, [&] { return optimize_model(*loaded.model); });
  if (target.path == "-") {
    // Only the model is written there.
    if (!may_save) write_to_stderr(report_.text);
    report_.text.clear();
  }
  if (may_save && !options_.flag("dry-run")) save(*loaded.model, target);
}

bool OptimizeRun::optimize_model(Model& model) {
  OptimizeReport done;
  try {
    done = optimize(model, optimize_options());
  } catch (Error& error) {
    if (error.id() == "rules.endless" && !is_rewritten_) error.in(options_.text("rules"));
    throw;
  }
  return report_verification(done);
}

void OptimizeRun::note_frozen_defaults(const Model& model) {
  for (const Value* input : model.inputs()) {
    const bool is_frozen = settings_.freezes_defaults
                               ? input->has_default()
                               : settings_.has_16_bits() && is_weight_input(*input);
    if (is_frozen) frozen_.emplace_back(input->name());
  }
  if (frozen_.empty() || settings_.freezes_defaults) return;
  invocation_.note(format(
      "weights that are also inputs become constants, since each would be cast in every run: {}",
      list_names(frozen_)));
}

void OptimizeRun::look_at_original(const Model& model) {
  // Read where inputs are random; a wrong one would only keep the original from running there.
  static_cast<void>(read_random_ranges(options_, model.inputs()));
  report_.payload.set("before", summary_block(summarize(model, invocation_.has_document)));
}

void OptimizeRun::report_rewrites(const Model& model, const OptimizeReport& done) {
  is_rewritten_ = true;
  check_user_rules(invocation_, done.rewrites);
  if (done.float_conversion) report_float_conversion(*done.float_conversion);
  report_.payload.set("after", summary_block(summarize(model, invocation_.has_document)));
  report_.payload.set("passes", passes_block(done.rewrites, done.before));
  report_.payload.set("near_misses",
                      settings_.explains ? near_misses_block(done.rewrites) : Json::list());
  report_.payload.set("partial_matches", closest_block(done.closest));
  report_.text += format("{} -> {} nodes, {} -> {} of weights\n", done.before.nodes,
                         done.after.nodes, readable_bytes(static_cast<double>(done.before.bytes)),
                         readable_bytes(static_cast<double>(done.after.bytes)));
  report_opset_gain(done);
  if (settings_.freezes_defaults && !frozen_.empty()) {
    report_.text += format(
        "inputs with default values that became constants (--keep-overridable keeps them): {}\n",
        list_names(frozen_));
  }
  report_.payload.set("frozen_inputs", Json::list_of(frozen_));
  report_.text += passes_text(done.rewrites);
  if (settings_.explains)
    report_.text += near_misses_text(done.rewrites) + closest_text(done.closest);
}

void OptimizeRun::report_opset_gain(const OptimizeReport& done) {
  if (!done.opset_gain) {
    report_.payload.set("opset_gain", Json());
    return;
  }
  const auto& [opset, nodes] = *done.opset_gain;
  report_.payload.set("opset_gain", Json::object().set("opset", opset).set("node_count", nodes));
  report_.text +=
      format("--opset {} would leave {} nodes instead of {}\n", opset, nodes, done.after.nodes);
}

void OptimizeRun::report_float_conversion(const FloatConversionReport& result) {
  Json kept = Json::list();
  for (const KeptNode& node : result.kept)
    kept.add(Json::object().set("node", node.node).set("reason", node.reason));
  report_.text += format("{} nodes in {}, {} kept in float32\n", result.converted,
                         name_of(result.type), result.kept.size());
  for (const KeptNode& node : result.kept)
    report_.text += format("  {}: {}\n", shorten(node.node), node.reason);
  report_.payload.set(
      std::string(name_of(result.type)),
      Json::object().set("converted", result.converted).set("kept", std::move(kept)));
}

bool OptimizeRun::report_verification(OptimizeReport& done) {
  const Verification& result = done.verification;
  Json block = verification_block(result);
  const bool prepares_rightly = report_embeddings(done, block);
  report_.payload.set("verification", std::move(block));
  if (!prepares_rightly) return false;
  std::string repro_text;
  if (done.failing_part) {
    save_failing_part(*done.failing_part);
    repro_text = format("{} to reproduce it: {}\n",
                        done.failing_part->is_part ? "these nodes alone" : "the model",
                        shorten(options_.text("save-repro")));
  }
  if (!result.has_passed) {
    if (settings_.runs > 0) invocation_.warn(format("not verified: {}", result.reason));
    return true;
  }
  if (*result.has_passed) {
    report_.text +=
        format("verified in {} {}: largest error {}\n", result.runs,
               result.runs == 1 ? "run" : "runs", readable_number(result.max_abs_error));
    report_.text += conditions_text(result) + stages_text(result);
    return true;
  }
  report_.verdict = static_cast<int>(ErrorCode::negative_result);
  report_.text += result.output.empty()
                      ? format("DIFFERENT: {}\n", result.reason)
                      : format("DIFFERENT: output {}: {}\n", quote(result.output), result.reason);
  if (result.culprit) {
    report_.text += format("first at change {}: {} at {}\n", result.culprit->number,
                           result.culprit->pass, quote(result.culprit->node));
    report_.text +=
        format("nothing is written; --skip-pass {} leaves that pass out\n", result.culprit->pass);
    report_.text += repro_text;
  }
  return false;
}

bool OptimizeRun::report_embeddings(const OptimizeReport& done, Json& block) {
  if (done.embeddings.empty()) return true;
  Json checks = Json::list();
  std::string problem;
  for (const EmbeddingCheck& check : done.embeddings) {
    checks.add(Json::object()
                   .set("input", check.input)
                   .set("max_abs_error", check.max_abs_error)
                   .set("passed", check.has_passed)
                   .set("reason", check.reason.empty() ? Json() : Json(check.reason)));
    report_.text += format("images for {}: largest error {}\n", quote(check.input),
                           readable_number(check.max_abs_error));
    if (!check.has_passed && problem.empty())
      problem = format("input {}: {}", quote(check.input), check.reason);
  }
  block.set("preprocessing", std::move(checks));
  if (problem.empty()) return true;
  block.set("passed", false).set("reason", problem);
  report_.verdict = static_cast<int>(ErrorCode::negative_result);
  report_.text += format("DIFFERENT: {}\n", problem);
  return false;
}

void OptimizeRun::save(Model& model, const SaveTarget& target) {
  if (model.ir_version < ir_version_of_free_weights) {
    invocation_.note(format("IR version {} becomes {}, in which weights are not inputs",
                            model.ir_version, ir_version_of_free_weights));
    model.ir_version = ir_version_of_free_weights;
  }
  const std::int64_t bytes = save_to(invocation_, target, model);
  report_.payload.set("output", Json::object().set("path", target.path).set("bytes", bytes));
  if (target.path == "-") return;
  report_.text += format("written: {} ({})\n", shorten(target.path),
                         readable_bytes(static_cast<double>(bytes)));
}

/// --list-passes, which needs no model.
void list_passes(Invocation& invocation, const std::vector<RuleGroup>& groups) {
  const std::vector<PassDescription> passes = describe_passes(groups);
  invocation.report.payload.set("pass_list", pass_list_block(passes));
  invocation.report.payload.set("lowering_list", lowering_list_block());
  invocation.report.text += pass_list_text(passes) + lowering_list_text();
}

}  // namespace

void run_optimize(Invocation& invocation, std::vector<RuleGroup> groups) {
  groups = groups_with_options(invocation, std::move(groups));
  if (invocation.options.flag("list-passes")) return list_passes(invocation, groups);
  if (invocation.arguments.empty()) {
    throw Error(ErrorCode::invalid, "MODEL is missing", "ortool optimize model.onnx -o out.onnx")
        .with_id("usage.missing");
  }
  OptimizeRun(invocation, groups).run();
}

}  // namespace ortool
