// Rewriting, verifying and writing, each told in the report.
#include "apps/ortool/optimize/optimize_run.hpp"

#include <algorithm>

#include "apps/ortool/inspect/summary_block.hpp"
#include "apps/ortool/optimize/embedding_check.hpp"
#include "apps/ortool/optimize/failing_part.hpp"
#include "apps/ortool/optimize/float_choice.hpp"
#include "apps/ortool/optimize/float_search.hpp"
#include "apps/ortool/optimize/optimize_report.hpp"
#include "apps/ortool/optimize/optimize_settings.hpp"
#include "apps/ortool/optimize/rewriting.hpp"
#include "apps/ortool/optimize/verification.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/lowering_report.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/summary.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"
#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/runtime/check_rule.hpp"

namespace ortool {
namespace {

/// From this version on weights need not stand among the inputs as well.
constexpr std::int64_t ir_version_of_free_weights = 4;
/// The group of --rules.
constexpr std::string_view user_group = "user's own";
constexpr std::int64_t most_rules_bytes = std::int64_t{16} << 20;

/// Of --rules: that some rule acted, and that all came to an end.
void check_user_rules(const Invocation& invocation, const RewriteReport& rewrites) {
  if (!invocation.options.has("rules")) return;
  const std::string file = invocation.options.text("rules");
  bool have_acted = false;
  bool are_endless = false;
  for (const PassRecord& pass : rewrites.passes) {
    if (!pass.is_users || pass.applied == 0) continue;
    have_acted = true;
    are_endless = are_endless || std::find(rewrites.endless.begin(), rewrites.endless.end(),
                                           pass.name) != rewrites.endless.end();
  }
  if (!have_acted) {
    invocation.warn(format("{}: no rule of it acted (--explain tells why)", file));
  } else if (are_endless) {
    throw Error(
        ErrorCode::invalid,
        format("{}: rules find new places without an end: {}", file, list_names(rewrites.endless)),
        "what a rule makes must not hold what it, or another rule, looks for")
        .with_id("rules.endless");
  }
}

/// One run of the command.
class OptimizeRun {
 public:
  OptimizeRun(Invocation& invocation, const std::vector<RuleGroup>& groups)
      : invocation_(invocation),
        options_(invocation.options),
        report_(invocation.report),
        settings_(read_optimize_settings(options_, describe_passes(groups))),
        providers_(choose_providers(invocation)),
        groups_(groups),
        rewriting_(invocation, settings_, groups, *providers_.back()) {}

  void run();

 private:
  void rewrite(Model& model);
  /// --fp16 does to weights what --freeze-defaults does to all defaults.
  void tell_frozen_defaults(const Model& model) const;
  /// --fp16: the nodes that stay in float32.
  void choose_floats();
  void report_float16();
  /// False when outputs differ.
  bool verify();
  /// Of --embed-preprocessing: one entry an input; false where nodes prepare pictures wrongly.
  bool check_embeddings(const Verifier& verifier, Json& block);
  void save(Model& model, const SaveTarget& target);

  Invocation& invocation_;
  const OptionValues& options_;
  Report& report_;
  OptimizeSettings settings_;
  std::vector<std::shared_ptr<const Provider>> providers_;
  const std::vector<RuleGroup>& groups_;
  Rewriting rewriting_;
  RewriteReport rewrites_;
  std::string repro_text_;
};

void OptimizeRun::run() {
  LoadedModel loaded = rewriting_.load_file();
  describe_model_argument(invocation_, loaded);
  const SaveTarget target = read_save_target(invocation_, loaded);
  tell_frozen_defaults(*loaded.model);
  const bool may_save = in_file(loaded.path, [&] {
    loaded.model = rewriting_.prepare(std::move(loaded.model));
    // Read where inputs are made up; a wrong one would only keep the original from running there.
    static_cast<void>(read_random_ranges(options_, names_of(loaded.model->graph->inputs())));
    const DeclaredTypes declared(*loaded.model);
    rewrite(*loaded.model);
    declared.restore(*loaded.model, rewriting_.has_fixed_shapes());
    return verify();
  });
  if (target.path == "-") {
    // The model alone goes there.
    if (!may_save) write_to_stderr(report_.text);
    report_.text.clear();
  }
  if (may_save && !options_.flag("dry-run")) save(*loaded.model, target);
}

void OptimizeRun::tell_frozen_defaults(const Model& model) const {
  if (!settings_.is_float16 || settings_.freezes_defaults) return;
  std::vector<std::string> names;
  for (const Value* input : model.graph->inputs()) {
    if (is_weight_input(*input)) names.emplace_back(input->name());
  }
  if (names.empty()) return;
  invocation_.warn(format(
      "weights that are inputs too become constants, since each would be cast in every run: {}",
      list_names(names)));
}

void OptimizeRun::rewrite(Model& model) {
  const Progress progress(options_, invocation_.messages, "optimizing");
  const ModelSize before = size_of(model);
  infer_shapes(model);
  report_.payload.set("before", summary_block(summarize(model, invocation_.has_document)));
  if (settings_.is_float16) choose_floats();
  try {
    rewrites_ = rewriting_.apply(model);
  } catch (Error& error) {
    if (error.id() == "rules.endless") error.in(options_.text("rules"));
    throw;
  }
  check_user_rules(invocation_, rewrites_);
  if (settings_.is_float16) report_float16();
  report_.payload.set("after", summary_block(summarize(model, invocation_.has_document)));
  report_.payload.set("passes", passes_block(rewrites_, before));
  report_.payload.set("near_misses",
                      settings_.explains ? near_misses_block(rewrites_) : Json::list());
  const std::vector<ClosestMatch> closest =
      settings_.explains ? rewriting_.closest(model) : std::vector<ClosestMatch>();
  report_.payload.set("found_in_part", closest_block(closest));
  const ModelSize after = size_of(model);
  report_.text += format("{} -> {} nodes, {} -> {} of weights\n", before.nodes, after.nodes,
                         readable_bytes(static_cast<double>(before.bytes)),
                         readable_bytes(static_cast<double>(after.bytes)));
  report_.text += passes_text(rewrites_);
  if (settings_.explains) report_.text += near_misses_text(rewrites_) + closest_text(closest);
}

void OptimizeRun::choose_floats() {
  ThreadPool pool(thread_count(options_));
  Verifier verifier(invocation_, rewriting_, providers_, pool);
  std::map<std::string, std::string> reasons = find_floats_to_keep(rewriting_, verifier);
  if (settings_.runs > 0) {
    const Progress progress(options_, invocation_.messages, "choosing floats");
    keep_floats_that_count(rewriting_, verifier, reasons);
  }
  rewriting_.convert_floats(std::move(reasons));
}

void OptimizeRun::report_float16() {
  const Float16Report& result = rewriting_.float16();
  Json kept = Json::list();
  for (const KeptNode& node : result.kept)
    kept.add(Json::object().set("node", node.node).set("reason", node.reason));
  report_.text +=
      format("{} nodes in float16, {} kept in float32\n", result.converted, result.kept.size());
  for (const KeptNode& node : result.kept)
    report_.text += format("  {}: {}\n", shorten(node.node), node.reason);
  report_.payload.set(
      "float16", Json::object().set("converted", result.converted).set("kept", std::move(kept)));
}

bool OptimizeRun::verify() {
  Verification result;
  if (settings_.runs > 0) {
    const Progress progress(options_, invocation_.messages, "verifying");
    ThreadPool pool(thread_count(options_));
    Verifier verifier(invocation_, rewriting_, providers_, pool);
    result = verifier.verify(rewrites_);
    Json block = verification_block(result);
    const bool prepares_rightly = check_embeddings(verifier, block);
    report_.payload.set("verification", std::move(block));
    if (!prepares_rightly) return false;
    if (result.guilty && options_.has("save-repro")) {
      const std::string folder = options_.text("save-repro");
      const bool is_part = save_failing_part(invocation_, rewriting_, verifier, result, folder);
      repro_text_ = format("{} to repeat it: {}\n", is_part ? "these nodes alone" : "the model",
                           shorten(folder));
    }
  } else {
    result.reason = "not asked for";
    report_.payload.set("verification", verification_block(result));
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
  if (result.guilty) {
    report_.text += format("from change {} on: {} at {}\n", result.guilty->number,
                           result.guilty->pass, quote(result.guilty->node));
    report_.text +=
        format("nothing is written; --skip-pass {} goes without it\n", result.guilty->pass);
    report_.text += repro_text_;
  }
  return false;
}

bool OptimizeRun::check_embeddings(const Verifier& verifier, Json& block) {
  const std::vector<Embedding> embeddings = rewriting_.embeddings();
  if (embeddings.empty()) return true;
  Json checks = Json::list();
  std::string problem;
  for (const Embedding& embedding : embeddings) {
    const EmbeddingCheck check = check_embedding(embedding, rewriting_.load(), verifier);
    checks.add(Json::object()
                   .set("input", check.input)
                   .set("max_abs_error", check.max_abs_error)
                   .set("passed", check.has_passed)
                   .set("reason", check.reason.empty() ? Json() : Json(check.reason)));
    report_.text += format("pictures for {}: largest error {}\n", quote(check.input),
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
  const Progress progress(options_, invocation_.messages, "writing");
  if (model.ir_version < ir_version_of_free_weights) {
    invocation_.warn(format("IR version {} becomes {}, in which weights are no inputs",
                            model.ir_version, ir_version_of_free_weights));
    model.ir_version = ir_version_of_free_weights;
  }
  const std::int64_t bytes = save_to(target, model);
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

/// The pipeline with what only files for ortool get, before the rules that would take clusters
/// apart.
std::vector<RuleGroup> with_target_passes(std::vector<RuleGroup> groups) {
  const auto place = std::find_if(groups.begin(), groups.end(),
                                  [](const auto& group) { return group.name == "clean up"; });
  groups.insert(place, {"fit kernels", OptimizeLevel::all, {}, {fuse_quantized_pass()}});
  return groups;
}

/// The pipeline with the rules of --rules, which come once functions and constants are dealt with.
std::vector<RuleGroup> with_user_rules(const Invocation& invocation,
                                       std::vector<RuleGroup> groups) {
  const std::string path = invocation.options.text("rules");
  if (path.empty()) return groups;
  const std::vector<PassDescription> known = describe_passes(groups);
  const std::shared_ptr<const Provider> provider = choose_providers(invocation).back();
  RuleGroup basic{user_group, OptimizeLevel::basic, {}, {}};
  RuleGroup extended{user_group, OptimizeLevel::extended, {}, {}};
  const std::string text = read_text_file(path, most_rules_bytes);
  in_file(path, [&] {
    for (const auto& rule : parse_user_rules(text)) {
      const bool is_taken = std::any_of(known.begin(), known.end(),
                                        [&](const auto& pass) { return pass.name == rule->name; });
      if (is_taken) {
        throw Error(ErrorCode::invalid, format("there is a pass {} already", quote(rule->name)),
                    "'ortool optimize --list-passes' names all")
            .with_id("rules.name");
      }
      invocation.stop.poll();
      check_rule(*rule, provider, {.cap = &invocation.memory, .stop = &invocation.stop});
      (rule->level == OptimizeLevel::basic ? basic : extended).rules.push_back(make_rule(rule));
    }
  });
  const auto place = groups.begin() + (groups.empty() ? 0 : 1);
  groups.insert(place, {std::move(basic), std::move(extended)});
  return groups;
}

}  // namespace

void run_optimize(Invocation& invocation, std::vector<RuleGroup> groups) {
  groups = with_user_rules(invocation, with_target_passes(std::move(groups)));
  if (invocation.options.flag("list-passes")) return list_passes(invocation, groups);
  if (invocation.arguments.empty()) {
    throw Error(ErrorCode::invalid, "no MODEL is given", "ortool optimize model.onnx -o out.onnx")
        .with_id("usage.missing");
  }
  OptimizeRun(invocation, groups).run();
}

}  // namespace ortool
