// No method is best for every model: clipping errs to one side, rounding to both.
#include "apps/ortool/quantize/choose_method.hpp"

#include <algorithm>
#include <array>

#include "apps/ortool/quantize/candidate.hpp"
#include "apps/ortool/report/progress.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_samples = 32;
constexpr std::array tried = {CalibrationMethod::mse, CalibrationMethod::automatic,
                              CalibrationMethod::percentile, CalibrationMethod::minmax};

/// Quantises copies and looks at their outputs.
class Judge {
 public:
  Judge(const QuantizeContext& context, const Model& prepared, const Session& floats,
        const Calibration& calibration, const PlanChoices& choices, CalibrationData& data)
      : context_(context),
        prepared_(prepared),
        floats_(floats),
        calibration_(calibration),
        choices_(choices),
        data_(data) {
    choices_.stores_rest = false;
  }

  MethodTrial judge(CalibrationMethod method, std::string recipe) {
    QuantizeSettings settings = context_.settings;
    settings.method.method = method;
    settings.recipe = std::move(recipe);
    const QuantizeContext trial{context_.invocation, settings,         context_.machine,
                                context_.patterns,   context_.choices, context_.cache,
                                context_.result};
    StaticMaker maker(trial, floats_, &calibration_, &data_);
    const CandidateMaker candidates(trial, prepared_, maker);
    const Candidate candidate = candidates.make(choices_);
    if (values_.empty()) {
      for (const ChosenValue& value : candidate.plan.chosen) values_.push_back(value.name);
    }
    const auto session = candidates.session(*candidate.model, OptimizeLevel::all);
    return {method, worst_sqnr_db(compare_outputs(context_.invocation, context_.machine, floats_,
                                                  *session, data_, most_samples))};
  }

  const std::vector<std::string>& values() const { return values_; }

 private:
  const QuantizeContext& context_;
  const Model& prepared_;
  const Session& floats_;
  const Calibration& calibration_;
  PlanChoices choices_;
  CalibrationData& data_;
  std::vector<std::string> values_;
};

}  // namespace

MethodTrials try_methods(const QuantizeContext& context, const Model& prepared,
                         const Session& floats, const Calibration& calibration,
                         const PlanChoices& choices, CalibrationData& data) {
  const Progress progress(context.invocation.options, context.invocation.messages,
                          "choosing ranges");
  Judge judge(context, prepared, floats, calibration, choices, data);
  std::vector<MethodTrial> rough;
  for (const CalibrationMethod method : tried) rough.push_back(judge.judge(method, "fast"));
  const auto best_first = [](std::vector<MethodTrial>& trials) {
    std::stable_sort(trials.begin(), trials.end(), [](const MethodTrial& a, const MethodTrial& b) {
      return a.preference() > b.preference();
    });
  };
  best_first(rough);
  MethodTrials result;
  // Rounding by what layers read may turn the order of the first two.
  for (std::size_t i = 0; i < 2; ++i)
    result.trials.push_back(judge.judge(rough[i].method, context.settings.recipe));
  best_first(result.trials);
  result.values = judge.values();
  return result;
}

}  // namespace ortool
