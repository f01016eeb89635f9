// Accuracy techniques beyond ranges and rounding, each kept only if held-out samples gain.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"
#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/quantize/search/sqnr_judge.hpp"

namespace ortool {

/// A prepared model with balanced channels, and its calibration.
struct BalancedModel {
  std::vector<BalanceGroup> groups;
  std::unique_ptr<Model> model;
  std::unique_ptr<Session> session;  ///< node by node
  std::unique_ptr<Calibration> calibration;
};

/// The prepared model and what is known about it.
struct PreparedModel {
  Model& model;
  const Session& session;  ///< node by node
  const Calibration* calibration;
  CalibrationData* data;
};

/// The model balanced by the factors of `choices`. Throws ErrorCode::invalid for groups that it
/// does not have, and for factors that do not match. Returns nothing if there are no factors, and,
/// with a warning, if the outputs on a few samples would change by more than a ten-thousandth of
/// the largest element.
std::optional<BalancedModel> balance_as_chosen(const QuantizeContext& context,
                                               const PreparedModel& prepared,
                                               const PlanChoices& choices);

/// Searches for groups of values that gain from channel balancing: with nearest rounding, tries up
/// to twelve parts of them in turn, the most promising first. Adds those that gain to
/// choices.balance.
std::vector<TechniqueTrial> try_balance(const QuantizeContext& context,
                                        const PreparedModel& prepared, const SqnrJudge& judge,
                                        PlanChoices& choices);

/// Which biases are corrected by measured shifts.
enum class BiasCorrectionScope {
  last,  ///< of products without later products
  all    ///< also those at up to eight earlier depths: see product_steps()
};

/// Corrects biases by the mean errors of their products' results, one depth after another, as
/// measured on up to 32 fitting samples. Adds the shifts to the node choices.
void measure_shifts(const CandidateBuilder& builder, const Session& floats, CalibrationData& data,
                    BiasCorrectionScope reach, PlanChoices& choices);

/// The gain that a correction measured on `samples` samples must show on them to promise any gain
/// on others. A mean of n values removes from their own squares the share 1 / n that it adds to
/// those of others, so a pure chance effect gains n / (n - 1) here and loses (n + 1) / n there (H.
/// Akaike's final prediction error, 1969). A single sample says nothing about others: then the
/// smallest gain that counts at all.
RequiredGain bar_of_measured(std::int64_t samples);

/// Tries one technique after another on the best form so far.
class Techniques {
 public:
  /// `best` are the ratios of the form without techniques. The arguments must outlive this object.
  Techniques(const QuantizeContext& context, const SqnrJudge& judge, SampleRatios best)
      : context_(context), judge_(judge), best_(std::move(best)) {}

  /// Nothing if balancing gains nothing; otherwise it is added to `choices`.
  std::optional<BalancedModel> balance(const PreparedModel& prepared, PlanChoices& choices);
  /// Thorough adaptive rounding.
  void round(const CandidateBuilder& builder, PlanChoices& choices);
  /// Empirical bias correction.
  void correct_biases(const CandidateBuilder& builder, const Session& floats, CalibrationData& data,
                      BiasCorrectionScope reach, PlanChoices& choices);

  const std::vector<TechniqueTrial>& trials() const { return trials_; }

 private:
  SampleRatios judge(const CandidateBuilder& builder, const PlanChoices& choices) const;
  /// Whether the form beats the best so far, which it then replaces; records the trial.
  bool takes(std::string technique, SampleRatios ratios, RequiredGain bar);

  const QuantizeContext& context_;
  const SqnrJudge& judge_;
  SampleRatios best_;
  std::vector<TechniqueTrial> trials_;
};

}  // namespace ortool
