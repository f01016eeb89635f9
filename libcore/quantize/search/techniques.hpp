// What is tried beyond ranges and rounding, each kept only where judging samples gain.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"
#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/form_judge.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// A prepared model with balanced channels, and what calibration sees of it.
struct BalancedModel {
  std::vector<BalanceGroup> groups;
  std::unique_ptr<Model> model;
  std::unique_ptr<Session> session;  ///< node by node
  std::unique_ptr<Calibration> calibration;
};

/// What the prepared model is, and what is known of it.
struct PreparedModel {
  Model& model;
  const Session& session;  ///< node by node
  const Calibration* calibration;
  CalibrationData* data;
};

/// The model balanced by the factors of `choices`. Throws ErrorCode::invalid for groups that it has
/// not, and factors that do not fit. Nothing where there are none, and, with a warning, where the
/// outputs on a few samples would differ by more than a ten thousandth of the largest.
std::optional<BalancedModel> balance_as_chosen(const QuantizeContext& context,
                                               const PreparedModel& prepared,
                                               const PlanChoices& choices);

/// Looks for groups of values whose channels gain by factors: with the nearest levels, up to twelve
/// parts of them in turn, the most promising first. Puts those that gain into choices.balance.
std::vector<TechniqueTrial> try_balance(const QuantizeContext& context,
                                        const PreparedModel& prepared, const FormJudge& judge,
                                        PlanChoices& choices);

/// Which biases are put right by what is measured.
enum class BiasReach {
  last,  ///< of the products behind which there is no other
  all    ///< before them those at up to eight depths: see product_steps()
};

/// Takes out of biases what the results of their products are off by in mean, one depth after the
/// other, as measured on up to 32 fitting samples. Puts the shifts into the choices of nodes.
void measure_shifts(const CandidateMaker& maker, const Session& floats, CalibrationData& data,
                    BiasReach reach, PlanChoices& choices);

/// What a correction that is measured on `samples` samples has to gain on these to promise anything
/// for others. A mean of n numbers takes from their own squares the share 1 / n that it adds to
/// those of others, so that what does not differ from chance gains n / (n - 1) here and loses
/// (n + 1) / n there (H. Akaike's final prediction error, 1969). One sample says nothing of others:
/// then the least gain that counts at all.
Bar bar_of_measured(std::int64_t samples);

/// Tries one technique after the other on what is best so far.
class Techniques {
 public:
  /// `best` is what the form without them is worth. What is given outlives this.
  Techniques(const QuantizeContext& context, const FormJudge& judge, SampleRatios best)
      : context_(context), judge_(judge), best_(std::move(best)) {}

  /// Nothing where balanced channels gain nothing; else `choices` ask for them.
  std::optional<BalancedModel> balance(const PreparedModel& prepared, PlanChoices& choices);
  /// More effort in rounding.
  void round(const CandidateMaker& maker, PlanChoices& choices);
  /// Shifts of biases, as measured.
  void correct_biases(const CandidateMaker& maker, const Session& floats, CalibrationData& data,
                      BiasReach reach, PlanChoices& choices);

  const std::vector<TechniqueTrial>& trials() const { return trials_; }

 private:
  SampleRatios judge(const CandidateMaker& maker, const PlanChoices& choices) const;
  /// Whether the form is better than the best so far, which it is then; tells the trial.
  bool takes(std::string technique, SampleRatios ratios, Bar bar);

  const QuantizeContext& context_;
  const FormJudge& judge_;
  SampleRatios best_;
  std::vector<TechniqueTrial> trials_;
};

}  // namespace ortool
