// Channel balancing trials: factors come from fitting samples, held-out samples decide.
#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/refine/balance_channels.hpp"
#include "libcore/quantize/refine/choose_factors.hpp"
#include "libcore/quantize/search/techniques.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_balance_parts = 12;
constexpr std::size_t max_verified = 4;
constexpr double verified_share = 1e-4;
/// The threshold for a part.
constexpr RequiredGain part_bar{.min_db = 0.05, .deviations = 1};

CollectOptions collecting(const QuantizeContext& context, std::int64_t samples) {
  CollectOptions options;
  options.sample_count = samples;
  options.threads = context.machine.threads;
  options.cap = &context.task.memory;
  options.stop = &context.task.stop;
  return options;
}

/// The plan that groups are derived from: independent of later exclusions.
QuantizePlan whole_plan(const QuantizeContext& context, Model& model) {
  PlanRules rules;
  rules.is_per_channel = context.settings.is_per_channel;
  return make_plan(model, rules);
}

std::unique_ptr<Calibration> calibration_of(const QuantizeContext& context,
                                            const PreparedModel& prepared,
                                            const ChannelLinks& links,
                                            std::span<const BalanceGroup> groups) {
  if (prepared.calibration == nullptr) return nullptr;
  const std::int64_t samples = prepared.data != nullptr ? prepared.data->size() : 0;
  return std::make_unique<Calibration>(balanced_calibration(
      *prepared.calibration, prepared.session, links, groups,
      [&](std::int64_t index) { return prepared.data->sample(index).inputs; },
      collecting(context, samples)));
}

/// The largest difference of an output, relative to its largest element.
double difference_of(const Tensor& found, const Tensor& expected) {
  double most = 0;
  double difference = 0;
  for (std::int64_t i = 0; i < expected.element_count(); ++i) {
    const double reference = element_as_double(expected, i);
    most = std::max(most, std::abs(reference));
    difference = std::max(difference, std::abs(element_as_double(found, i) - reference));
  }
  return most > 0 ? difference / most : difference;
}

/// Over a few samples.
double difference_of(const QuantizeContext& context, const Session& balanced,
                     const PreparedModel& prepared) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  const std::vector<std::int64_t> samples = split_samples(prepared.data->size()).judging;
  double most = 0;
  for (std::size_t i = 0; i < std::min(samples.size(), max_verified); ++i) {
    const NamedValues inputs = prepared.data->sample(samples[i]).inputs;
    const std::vector<RunValue> expected = prepared.session.run(inputs, options);
    const std::vector<RunValue> found = balanced.run(inputs, options);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const bool can_compare = expected[k].is_tensor() && found[k].is_tensor() &&
                               is_floating_point(expected[k].tensor().type()) &&
                               expected[k].tensor().shape() == found[k].tensor().shape();
      if (can_compare)
        most = std::max(most, difference_of(found[k].tensor(), expected[k].tensor()));
    }
  }
  return most;
}

/// The groups that the choices name, with their factors.
std::vector<BalanceGroup> chosen_groups(std::vector<BalanceGroup> groups,
                                        const PlanChoices& choices) {
  std::vector<BalanceGroup> chosen;
  for (const auto& [name, factors] : choices.balance) {
    NearestName nearest(name);
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&, &wanted = name](const BalanceGroup& each) {
          nearest.offer(each.name);
          return each.name == wanted;
        });
    const bool is_known = group != groups.end();
    if (!is_known || group->classes.size() != factors.size()) {
      throw Error(ErrorCode::invalid,
                  is_known ? format("the plan has {} factors for the group {} of {} channels",
                                    factors.size(), quote(name), group->classes.size())
                           : format("the plan balances {}, which is not the first of a group of "
                                    "values that can be balanced",
                                    quote(name)),
                  nearest.best().empty() || is_known
                      ? std::string(format("remove the entry, or make a plan with {}",
                                           setting_name("plan-out")))
                      : format("did you mean {}?", quote(nearest.best())))
          .with_id("quantize.plan");
    }
    group->factors = factors;
    chosen.push_back(*group);
  }
  return chosen;
}

/// Quantized copies with some groups balanced.
class BalanceTrial {
 public:
  BalanceTrial(const QuantizeContext& context, const PreparedModel& prepared,
               const SqnrJudge& judge, const PlanChoices& choices, const ChannelLinks& links,
               std::vector<BalanceGroup> groups)
      : context_(context),
        prepared_(prepared),
        judge_(judge),
        choices_(choices),
        links_(links),
        whole_(groups),
        calibration_(calibration_of(context, prepared, links, groups)) {
    choices_.weight_fit = WeightRangeChoice::nearest;
    choices_.stores_rest = false;
  }

  SampleRatios judge(std::span<const BalanceGroup> groups) const {
    const auto model = copy_model(prepared_.model);
    balance_channels(*model, groups);
    const ChannelFactors factors(groups);
    Calibration calibration = *prepared_.calibration;
    for (const auto& [name, record] : calibration_->records()) {
      const Value* value = links_.find(name);
      if (value != nullptr && !factors.of(links_, *value).empty()) *calibration.find(name) = record;
    }
    StaticQuantizer builder(context_, prepared_.session, &calibration, prepared_.data);
    const CandidateBuilder candidates(context_, *model, builder);
    return judge_.judge(*candidates.make(choices_).model);
  }

 private:
  const QuantizeContext& context_;
  const PreparedModel& prepared_;
  const SqnrJudge& judge_;
  PlanChoices choices_;
  const ChannelLinks& links_;
  std::vector<BalanceGroup> whole_;
  std::unique_ptr<Calibration> calibration_;
};

}  // namespace

std::optional<BalancedModel> balance_as_chosen(const QuantizeContext& context,
                                               const PreparedModel& prepared,
                                               const PlanChoices& choices) {
  if (choices.balance.empty()) return std::nullopt;
  const ChannelLinks links(prepared.model);
  BalancedModel balanced;
  balanced.groups =
      chosen_groups(balance_groups(whole_plan(context, prepared.model), links), choices);
  balanced.model = copy_model(prepared.model);
  balance_channels(*balanced.model, balanced.groups);
  balanced.session =
      make_session(context.task, context.machine, *balanced.model, OptimizeLevel::none);
  if (prepared.data != nullptr) {
    const double difference = difference_of(context, *balanced.session, prepared);
    if (!(difference <= verified_share)) {
      context.task.warn(
          format("with balanced channels an output differs by {} of its largest element: they stay "
                 "unbalanced",
                 difference));
      return std::nullopt;
    }
  }
  balanced.calibration = calibration_of(context, prepared, links, balanced.groups);
  return balanced;
}

std::vector<TechniqueTrial> try_balance(const QuantizeContext& context,
                                        const PreparedModel& prepared, const SqnrJudge& judge,
                                        PlanChoices& choices) {
  const TaskContext& task = context.task;
  Progress progress(task, "balancing");
  const ChannelLinks links(prepared.model);
  const QuantizePlan plan = whole_plan(context, prepared.model);
  const std::vector<ValueRequest> values = balanced_values(plan, links);
  if (values.empty()) return {};
  const SampleSplit split = split_samples(prepared.data->size());
  const SamplesByValue samples = collect_channel_samples(
      prepared.session, values,
      [&](std::int64_t index) {
        return prepared.data->sample(split.fitting[static_cast<std::size_t>(index)]).inputs;
      },
      collecting(context, static_cast<std::int64_t>(split.fitting.size())));
  std::vector<BalanceGroup> groups = balance_groups(plan, links);
  choose_factors(plan, links, samples, groups);
  if (groups.empty()) return {};
  std::stable_sort(groups.begin(), groups.end(), [](const BalanceGroup& a, const BalanceGroup& b) {
    return a.expected_relief > b.expected_relief;
  });
  const BalanceTrial trial(context, prepared, judge, choices, links, groups);
  std::vector<TechniqueTrial> trials;
  std::vector<BalanceGroup> kept;
  SampleRatios best = trial.judge(kept);
  const std::size_t parts = std::min(groups.size(), max_balance_parts);
  for (std::size_t part = 0; part < parts; ++part) {
    progress.tell_done(static_cast<std::int64_t>(part), static_cast<std::int64_t>(parts));
    const std::size_t first = part * groups.size() / parts;
    const std::size_t last = (part + 1) * groups.size() / parts;
    std::vector<BalanceGroup> tried = kept;
    TechniqueTrial told{.technique = "balance"};
    for (std::size_t i = first; i < last; ++i) {
      tried.push_back(groups[i]);
      told.on.push_back(groups[i].name);
    }
    SampleRatios ratios = trial.judge(tried);
    told.gain_db = mean_of(ratios) - mean_of(best);
    told.is_kept = is_better(ratios, best, part_bar);
    if (told.is_kept) {
      best = std::move(ratios);
      kept = std::move(tried);
    }
    trials.push_back(std::move(told));
  }
  for (const BalanceGroup& group : kept) choices.balance.emplace(group.name, group.factors);
  return trials;
}

}  // namespace ortool
