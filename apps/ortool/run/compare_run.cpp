// Runs run --compare: the outputs of the variant, and where they begin to differ.
#include "apps/ortool/run/compare_run.hpp"

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/report/comparison_block.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/variant_session.hpp"
#include "libcore/api/verify.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

std::vector<std::string> names_of_outputs(std::span<const Output> outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name);
  return names;
}

}  // namespace

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

bool compare_with_variant(Invocation& invocation, const Variant& variant,
                          const ReferenceRun& reference, const Judge& judge, Json& comparison) {
  Progress progress(invocation.task(), format("comparing with {}", variant.text));
  Report& report = invocation.report;
  const VariantSession other(invocation, variant, reference.model_path,
                             names_of_outputs(reference.outputs));
  const bool has_parallel = runs_in_parallel(invocation.options) || other.is_parallel();
  RunOptions run_options = other.run_options(reference.run.options);
  run_options.progress = &progress;
  VerifyOptions options;
  options.judge = judge;
  options.finds_divergence = !has_parallel;
  const VerifyReport found =
      verify_run(reference.run, reference.outputs,
                 {other.session(), other.matched(reference.run.inputs), run_options}, options);
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
    throw applies_to_nothing(
        format("option --compare: {} has none of the selected outputs", variant.text),
        "select others with --outputs");
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
