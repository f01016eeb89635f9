// Session check: outputs first; if they differ, quantized stages, or outputs as classes.
#include "libcore/verify/session_check.hpp"

#include "libcore/inspect/cache_outputs.hpp"
#include "libcore/inspect/fp16_outputs.hpp"
#include "libcore/inspect/quantization.hpp"

namespace ortool {

SessionCheck::SessionCheck(const JudgeOptions& options, const Model& original, bool has_16_bits,
                           const StageRunner& runner)
    : judge_(options),
      is_quantized_(is_quantized(original)),
      quantized_judge_(options),
      runner_(runner) {
  if (has_16_bits) {
    judge_.expect_equal(fp16_rtol, fp16_atol_of_max);
  } else if (has_fp16(original)) {
    static_cast<void>(judge_.expect_fp16(fp16_outputs(original)));
  }
  if (is_quantized_) is_quantized_ = quantized_judge_.expect_quantized(cache_outputs(original));
}

SessionCheck::Verdict SessionCheck::compare(CheckedSessions& sessions,
                                            const std::function<std::unique_ptr<Model>()>& make,
                                            const Expected& expected) const {
  if (sessions.whole == nullptr) sessions.whole = runner_.make_session(make());
  const std::vector<RunValue> found = runner_.run(*sessions.whole, expected.inputs);
  const auto judge_outputs = [&](const Judge& judge) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string name(sessions.whole->outputs()[i]->name());
      const Judge::Verdict verdict = judge.compare_output(name, found[i], expected.outputs[i]);
      if (!verdict.has_passed) return Verdict{false, name, verdict.reason};
    }
    return Verdict();
  };
  Verdict verdict = judge_outputs(judge_);
  if (verdict.has_passed || !is_quantized_) return verdict;
  const OriginalStages* const original = expected.stages();
  if (original == nullptr) return judge_outputs(quantized_judge_);
  if (sessions.stages == nullptr)
    sessions.stages = std::make_unique<ResultStages>(make(), *original, runner_);
  if (!sessions.stages->has_stages()) return judge_outputs(quantized_judge_);
  const StageVerdict staged = sessions.stages->compare(expected.inputs, judge_);
  return {staged.has_passed, staged.value, staged.reason};
}

}  // namespace ortool
