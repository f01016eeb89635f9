// Outputs paired by name or position, each judged; where one differs, values between as well.
#include "libcore/api/verify.hpp"

#include <algorithm>
#include <memory>

#include "libcore/api/random_inputs.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

/// The place of the output that stands for `output` of the reference; nothing when none does.
std::optional<std::size_t> place_of(const Output& output, const Session& reference,
                                    const Session& other) {
  const std::span<Value* const> outputs = other.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->name() == output.name) return i;
  }
  const bool has_as_many = outputs.size() == reference.outputs().size();
  return has_as_many ? std::optional(output.position) : std::nullopt;
}

/// All outputs of a run.
std::vector<Output> run_for_outputs(const ObservedRun& run) {
  std::vector<RunValue> values = run.session.run(run.inputs, run.options);
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& output = *run.session.outputs()[i];
    outputs.push_back({std::string(output.name()), i, std::move(values[i]), output.type()});
  }
  return outputs;
}

}  // namespace

bool VerifyReport::has_passed() const {
  return !outputs.empty() &&
         std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputVerdict& output) { return output.verdict.has_passed; });
}

std::vector<std::pair<std::string, std::string>> match_inputs(const Session& session,
                                                              NamedValues& inputs) {
  std::vector<std::pair<std::string, std::string>> renamed;
  const std::vector<std::string> names = names_of(session.model().inputs());
  const std::span<Value* const> wanted = session.inputs();
  if (wanted.size() != inputs.size()) return renamed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::find(names.begin(), names.end(), inputs[i].first) != names.end()) continue;
    renamed.emplace_back(inputs[i].first, wanted[i]->name());
    inputs[i].first = wanted[i]->name();
  }
  return renamed;
}

VerifyReport verify_run(const ObservedRun& reference, std::span<const Output> outputs,
                        const ObservedRun& other, const VerifyOptions& options) {
  const std::vector<RunValue> values = other.session.run(other.inputs, other.options);
  VerifyReport report;
  bool are_same = true;
  for (const Output& output : outputs) {
    const auto place = place_of(output, reference.session, other.session);
    if (!place) {
      report.missing.push_back(output.name);
      continue;
    }
    report.outputs.push_back(
        {output.name, options.judge.compare_output(output.name, output.value, values[*place])});
    are_same = are_same && report.outputs.back().verdict.has_passed;
  }
  if (!are_same && options.finds_divergence)
    report.search = find_divergence(reference, other, options.judge);
  return report;
}

VerifyReport verify(const Model& original, const Model& result, const VerifyOptions& options) {
  ComputeScope scope(options.compute);
  const TaskContext& task = scope.task();
  const Progress verifying(task, "verifying");
  SessionOptions session_settings = session_options(options.compute);
  session_settings.pool = &scope.pool();
  const auto before = make_compact_session(copy_model(original), session_settings);
  const auto after = make_compact_session(copy_model(result), session_settings);
  NamedValues inputs = options.inputs;
  if (inputs.empty()) {
    RandomInputs made = make_random_inputs(before->model(), options.random, 0, task.memory);
    inputs = std::move(made.values);
    if (!made.taken_as_1.empty())
      task.note(format("dimensions set to 1, since not given: {}", list_names(made.taken_as_1)));
  }
  NamedValues matched = inputs;
  for (const auto& [from, to] : match_inputs(*after, matched))
    task.warn(format("input {} is fed to {}, by its position", quote(from), quote(to)));
  RunOptions run_options;
  run_options.threads = options.compute.threads;
  run_options.stop = &task.stop;
  const ObservedRun reference{*before, std::move(inputs), run_options};
  const std::vector<Output> outputs = run_for_outputs(reference);
  VerifyReport report =
      verify_run(reference, outputs, {*after, std::move(matched), run_options}, options);
  for (const std::string& name : report.missing)
    task.warn(format("the result has no output {}", quote(name)));
  return report;
}

}  // namespace ortool
