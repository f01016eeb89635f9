// Verification of a rewritten model: end to end, in stages, and in an optimized session.
#include "libcore/base/format.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

std::unique_ptr<Model> Verifier::make(Candidate& candidate) const {
  std::unique_ptr<Model> model = load();
  candidate.report = rewriting_.apply(*model, candidate.rewrites);
  return model;
}

bool Verifier::is_same(Candidate& candidate, const Reference& reference, Verification& result) {
  try {
    if (candidate.session == nullptr) candidate.session = make_session(make(candidate));
    const std::vector<RunValue> found = run(*candidate.session, reference.inputs);
    return compare(reference.original, found, reference.expected, result) ||
           is_same_in_stages(candidate, reference, result);
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    result.has_passed = false;
    result.reason = format("the result does not run: {}", error.what());
    return false;
  }
}

bool Verifier::is_same_in_stages(Candidate& candidate, const Reference& reference,
                                 Verification& result) {
  if (judge_.expects_bits()) return false;
  const OriginalStages* const original = stages_of(reference);
  if (original == nullptr) return false;
  if (candidate.stages == nullptr)
    candidate.stages = std::make_unique<ResultStages>(make(candidate), *original, runner_);
  if (!candidate.stages->has_stages()) return false;
  const StageVerdict verdict = candidate.stages->compare(reference.inputs, judge_);
  if (!result.stages) result.stages.emplace();
  result.stages->stages = verdict.stages;
  result.stages->rounding.add(verdict.rounding);
  result.output = verdict.value;
  result.reason = verdict.reason;
  if (verdict.has_passed) result.has_passed.reset();
  return verdict.has_passed;
}

OriginalStages* Verifier::stages_of(const Reference& reference) {
  if (original_stages_ == nullptr)
    original_stages_ = std::make_unique<OriginalStages>(load(), runner_);
  if (original_stages_->stages().empty()) return nullptr;
  if (staged_inputs_ != &reference.inputs) original_stages_->run(reference.inputs);
  staged_inputs_ = &reference.inputs;
  return original_stages_.get();
}

void Verifier::make_session_check() {
  const std::unique_ptr<Model> model = load();
  inline_functions(*model);
  infer_shapes(*model);
  session_check_.emplace(options_.judge, *model, rewriting_.settings().has_16_bits(),
                         session_runner_);
}

bool Verifier::is_same_in_session(Candidate& candidate, const Reference& reference,
                                  Verification& result) {
  SessionCheck::Verdict verdict;
  try {
    if (!session_check_) make_session_check();
    verdict = session_check_->compare(
        candidate.in_session, [&] { return make(candidate); },
        {reference.inputs, reference.expected, [&] { return stages_of(reference); }});
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    verdict = {false, {}, error.what()};
  }
  if (verdict.has_passed) return true;
  result.has_passed = false;
  result.differs_in_session = true;
  result.output = verdict.output;
  result.reason = format("in a session at the default level: {}", verdict.reason);
  return false;
}

}  // namespace ortool
