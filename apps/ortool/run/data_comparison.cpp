// Comparison over a data set: counts the samples whose outputs differ, and keeps the worst.
#include "apps/ortool/run/data_comparison.hpp"

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/report/comparison_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "apps/ortool/run/compare_run.hpp"
#include "libcore/api/verify.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

DataComparison::DataComparison(Invocation& invocation, std::span<const Variant> variants,
                               const Session& reference, const std::string& model_path,
                               const Judge& judge)
    : invocation_(invocation),
      reference_(reference),
      judge_(judge),
      positions_(chosen_positions(invocation.options, reference.outputs())) {
  std::vector<std::string> names;
  for (const std::size_t position : positions_)
    names.emplace_back(reference.outputs()[position]->name());
  for (const Variant& variant : variants)
    variants_.push_back(std::make_unique<ComparedVariant>(invocation, variant, model_path, names));
}

void DataComparison::count(const std::string& sample, Judge::Verdict verdict, Outcome& outcome) {
  ++outcome.samples;
  const bool is_first_different = !verdict.has_passed && outcome.different == 0;
  const bool is_worse = outcome.different == 0 &&
                        verdict.comparison.max_abs_error > outcome.verdict.comparison.max_abs_error;
  if (!verdict.has_passed) ++outcome.different;
  if (outcome.samples > 1 && !is_first_different && !is_worse) return;
  outcome.sample = sample;
  outcome.verdict = std::move(verdict);
}

void DataComparison::add(const Sample& sample, const std::vector<RunValue>& values,
                         const RunOptions& options) {
  ++samples_;
  std::vector<Output> outputs;
  for (const std::size_t position : positions_) {
    const Value& output = *reference_.outputs()[position];
    outputs.push_back({std::string(output.name()), position, values[position], output.type()});
  }
  for (const auto& compared : variants_) {
    const VariantSession& other = compared->session;
    VerifyOptions settings;
    settings.judge = judge_;
    settings.finds_divergence =
        !compared->search && !other.is_parallel() && !runs_in_parallel(invocation_.options);
    VerifyReport found;
    try {
      found = verify_run(
          {reference_, sample.inputs, options}, outputs,
          {other.session(), other.matched(sample.inputs), other.run_options(options)}, settings);
    } catch (Error& error) {
      throw error.in(compared->variant.text);
    }
    for (const std::string& name : found.missing)
      invocation_.warn(format("{}: it has no output {}", compared->variant.text, quote(name)));
    for (OutputVerdict& output : found.outputs)
      count(sample.name, std::move(output.verdict), compared->outcomes[output.name]);
    if (found.search) compared->search = std::move(found.search);
  }
}

bool DataComparison::report(Json& comparison) {
  if (samples_ == 0) return true;
  bool has_passed = true;
  Report& report = invocation_.report;
  for (const auto& compared : variants_) {
    const Variant& variant = compared->variant;
    if (compared->outcomes.empty()) {
      throw applies_to_nothing(
          format("option --compare: {} has none of the selected outputs", variant.text),
          "select others with --outputs");
    }
    for (const std::size_t position : positions_) {
      const std::string name(reference_.outputs()[position]->name());
      const auto found = compared->outcomes.find(name);
      if (found == compared->outcomes.end()) continue;
      const Outcome& outcome = found->second;
      const Judge::Verdict& verdict = outcome.verdict;
      report.text +=
          outcome.different == 0
              ? format("{}: matches {} in {} samples (max error {})\n", shorten(name), variant.text,
                       outcome.samples, readable_number(verdict.comparison.max_abs_error))
              : format("{}: differs from {} in {} of {} samples (first: {}, {})\n", shorten(name),
                       variant.text, outcome.different, outcome.samples, shorten(outcome.sample),
                       verdict.reason);
      comparison.add(comparison_block(name, variant.text, verdict)
                         .set("samples", outcome.samples)
                         .set("different_samples", outcome.different)
                         .set("sample", outcome.sample));
      has_passed = has_passed && outcome.different == 0;
    }
    if (compared->search) report_divergence(report, variant, *compared->search);
  }
  return has_passed;
}

}  // namespace ortool
