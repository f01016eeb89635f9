// Runs run --compare: a separate session for the variant, with some options replaced.
#include "apps/ortool/run/compare_run.hpp"

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/comparison_block.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/api/verify.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

class VariantRun {
 public:
  VariantRun(Invocation& invocation, const Variant& variant, const ReferenceRun& reference)
      : invocation_(invocation),
        variant_(variant),
        reference_(reference),
        options_(changed_options()),
        pool_(thread_count(options_)) {
    const Invocation changed{options_,          invocation.arguments,    invocation.commands,
                             invocation.report, invocation.messages,     invocation.stop,
                             invocation.memory, invocation.has_document, invocation.words};
    const std::string path = variant.model_path.empty() ? reference.model_path : variant.model_path;
    if (path == "-") {
      throw Error(ErrorCode::invalid, "the model from standard input cannot be read twice",
                  "give it as a file to compare")
          .with_id("input.stream");
    }
    LoadedModel loaded = load_model_at(path);
    apply_shapes(*loaded.model);
    in_file(loaded.path, [&] {
      session_ = make_compact_session(
          std::move(loaded.model),
          session_options(changed, choose_providers(changed, variant.max_isa), pool_));
    });
    run_options_ = reference.run.options;
    run_options_.threads = thread_count(options_);
    run_options_.profile = nullptr;
    inputs_ = matched_inputs();
  }

  ObservedRun observed() const { return {*session_, inputs_, run_options_}; }

  const OptionValues& options() const { return options_; }

 private:
  OptionValues changed_options() const {
    OptionValues options = invocation_.options;
    for (const auto& [name, value] : variant_.options) options.set(name, {value});
    return options;
  }
  /// Another model may lack a symbol that --dim sets, or name its inputs differently.
  void apply_shapes(Model& model) const {
    try {
      apply_shape_options(options_, model);
    } catch (const Error& error) {
      if (variant_.model_path.empty()) throw;
      invocation_.warn(format("{}: {}", variant_.text, error.what()));
    }
  }
  NamedValues matched_inputs() const {
    NamedValues inputs = reference_.run.inputs;
    for (const auto& [from, to] : match_inputs(*session_, inputs))
      invocation_.warn(format("{}: input {} is fed to {}, by its position", variant_.text,
                              quote(from), quote(to)));
    return inputs;
  }

  Invocation& invocation_;
  const Variant& variant_;
  const ReferenceRun& reference_;
  OptionValues options_;
  ThreadPool pool_;
  std::unique_ptr<Session> session_;
  RunOptions run_options_;
  NamedValues inputs_;
};

void report_divergence(Report& report, const Variant& variant, const DivergenceSearch& search) {
  report.text += format("{} of {} values compared\n", search.matched_values, search.values);
  const std::optional<Divergence>& found = search.first;
  if (!found) {
    report.text += "no value that both runs compute differs, except the outputs\n";
    return;
  }
  report.text += format("first different: {} ({}), value {}: {}\n", shorten(found->node),
                        found->op_type, shorten(found->value), found->reason);
  if (report.payload.find("first_divergence") != nullptr) return;
  report.payload.set("first_divergence", Json::object()
                                             .set("node", found->node)
                                             .set("op_type", found->op_type)
                                             .set("origin", Json::list().add(found->node))
                                             .set("value", found->value)
                                             .set("against", variant.text)
                                             .set("sqnr_db", found->sqnr_db)
                                             .set("matched_values", search.matched_values)
                                             .set("values", search.values));
}

bool is_parallel(const OptionValues& options) {
  return options.text("execution", "sequential") == "parallel";
}

}  // namespace

bool compare_with_variant(Invocation& invocation, const Variant& variant,
                          const ReferenceRun& reference, const Judge& judge, Json& comparison) {
  const Progress progress(invocation.task(), format("comparing with {}", variant.text));
  Report& report = invocation.report;
  const VariantRun other(invocation, variant, reference);
  const bool has_parallel = is_parallel(invocation.options) || is_parallel(other.options());
  VerifyOptions options;
  options.judge = judge;
  options.finds_divergence = !has_parallel;
  const VerifyReport found =
      verify_run(reference.run, reference.outputs, other.observed(), options);
  for (const std::string& name : found.missing)
    invocation.warn(format("{}: it has no output {}", variant.text, quote(name)));
  for (const OutputVerdict& output : found.outputs) {
    const Judge::Verdict& verdict = output.verdict;
    comparison.add(comparison_block(output.name, variant.text, verdict));
    report.text += verdict.has_passed
                       ? format("{}: matches {} (max error {})\n", shorten(output.name),
                                variant.text, readable_number(verdict.comparison.max_abs_error))
                       : format("{}: differs from {} ({})\n", shorten(output.name), variant.text,
                                verdict.reason);
  }
  if (found.outputs.empty()) {
    throw Error(ErrorCode::invalid,
                format("option --compare: {} has none of the selected outputs", variant.text),
                "select others with --outputs")
        .with_id("usage.applies_to_nothing");
  }
  if (found.has_passed()) return true;
  if (has_parallel) {
    report.text += "the first different node is only searched for with --execution sequential\n";
    return false;
  }
  if (found.search) report_divergence(report, variant, *found.search);
  return false;
}

}  // namespace ortool
