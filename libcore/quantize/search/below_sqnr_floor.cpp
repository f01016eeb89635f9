// SQNR floor and suggestions: both rank nodes by their added noise, then measure.
#include "libcore/quantize/search/below_sqnr_floor.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/quantize/search/paired_times.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_suggestions = 3;
constexpr std::int64_t max_tried_samples = 8;
/// Smaller gains are not worth an option.
constexpr double min_gain_db = 0.5;
/// The time for measuring a suggestion's cost.
constexpr double timed_ms = 20;

/// A plan that was tried.
struct Attempt {
  PlanChoices choices;
  Candidate candidate;
  double sqnr_db = 0;             ///< of the worst output
  std::vector<std::string> left;  ///< nodes left in float
};

bool has_products(const std::vector<Unit>& units) {
  return std::any_of(units.begin(), units.end(), [](const Unit& unit) { return unit.is_product; });
}

}  // namespace

void exclude_below_sqnr_floor(const CandidateBuilder& builder, const Session& floats,
                              CalibrationData& data, PlanChoices& choices, Candidate& candidate,
                              EndToEnd& compared) {
  const double before = worst_sqnr_db(compared.outputs);
  if (!(before < useful_sqnr_db)) return;
  const TaskContext& task = builder.context().task;
  const QuantizeMachine& machine = builder.context().machine;
  Attempt now{choices, std::move(candidate), before, {}};
  const auto leave = [&](const std::vector<Unit>& units, std::size_t count) {
    Attempt next{now.choices, {}, 0, now.left};
    for (std::size_t i = 0; i < count; ++i) {
      next.left.push_back(units[i].name);
      leave_float(next.choices, units[i].plan_name,
                  format("quantizing it makes the result unusable (SQNR {} with it)",
                         decibels(now.sqnr_db)));
    }
    next.candidate = builder.make(next.choices);
    const auto session =
        make_session(task, machine, *next.candidate.model, level_of_comparison(task));
    next.sqnr_db = worst_sqnr_db(
        compare_outputs(task, machine, floats, *session, data, compared.samples));
    return next;
  };
  for (std::size_t step = 1; now.sqnr_db < useful_sqnr_db; step *= 2) {
    const std::vector<Unit> units = units_by_noise(now.candidate.plan, compared);
    if (!has_products(units)) break;
    std::size_t enough = std::min(step, units.size());
    Attempt next = leave(units, enough);
    // Binary search for the smallest sufficient number.
    for (std::size_t too_few = 0; next.sqnr_db >= useful_sqnr_db && enough - too_few > 1;) {
      const std::size_t middle = (too_few + enough) / 2;
      Attempt fewer = leave(units, middle);
      if (fewer.sqnr_db >= useful_sqnr_db) {
        next = std::move(fewer);
        enough = middle;
      } else {
        too_few = middle;
      }
    }
    now = std::move(next);
    if (now.sqnr_db < useful_sqnr_db)
      compared.values = compare_values(task, machine, floats, *now.candidate.model, data,
                                       compared.node_samples);
  }
  compared = compare_models(task, machine, floats, *now.candidate.model, data);
  task.warn(
      format("fully quantized, an output has an SQNR of {}, too low to be useful; left in float: "
             "{}; its SQNR is then {}",
             decibels(before), list_names(now.left), decibels(now.sqnr_db)));
  choices = std::move(now.choices);
  candidate = std::move(now.candidate);
}

void warn_below_sqnr_floor(const QuantizeContext& context) {
  const QuantizeSettings& settings = context.settings;
  const std::vector<OutputError>& outputs = context.result.end_to_end.outputs;
  const auto worst = std::min_element(outputs.begin(), outputs.end(),
                                      [](const OutputError& a, const OutputError& b) {
                                        return a.sums.sqnr_db() < b.sums.sqnr_db();
                                      });
  if (worst == outputs.end() || !(worst->sums.sqnr_db() < useful_sqnr_db)) return;
  std::string advice = format("{} or {} for the nodes with the largest errors",
                              setting_name("max-drop"), setting_name("exclude"));
  if (settings.mode == QuantizeMode::dynamically)
    advice += format(", or {} static with calibration data", setting_name("mode"));
  if (settings.weights.type == DataType::int4)
    advice += format(", {} int8, or a smaller {}", setting_name("weight-type"),
                     setting_name("block-size"));
  context.task.warn(format("output {} has an SQNR of {}, too low to be useful: try {}",
                           quote(worst->name), decibels(worst->sums.sqnr_db()), advice));
}

std::vector<Suggestion> suggest_exclusions(const CandidateBuilder& builder, const Session& floats,
                                           CalibrationData& data, const PlanChoices& choices,
                                           const Candidate& candidate, const EndToEnd& compared) {
  const QuantizeContext& context = builder.context();
  std::vector<Unit> units = units_by_noise(candidate.plan, compared);
  if (units.size() > max_suggestions) units.resize(max_suggestions);
  if (units.empty() || data.size() == 0) return {};
  Progress progress(context.task, "suggesting");
  const NamedValues inputs = data.sample(0).inputs;
  const auto whole = builder.session(*candidate.model, OptimizeLevel::all);
  const auto sqnr_of = [&](const Session& session) {
    return worst_sqnr_db(
        compare_outputs(context.task, context.machine, floats, session, data, max_tried_samples));
  };
  const bool is_known = compared.samples <= max_tried_samples;
  const double before = is_known ? worst_sqnr_db(compared.outputs) : sqnr_of(*whole);
  std::vector<Suggestion> suggestions;
  for (std::size_t i = 0; i < units.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(units.size()));
    const Unit& unit = units[i];
    PlanChoices without = choices;
    leave_float(without, unit.plan_name, "tried");
    const Candidate tried = builder.make(without);
    const auto session = builder.session(*tried.model, OptimizeLevel::all);
    const double after = sqnr_of(*session);
    if (!(after - before >= min_gain_db)) continue;
    const PairedTimes times =
        time_in_pairs(*session, *whole, inputs, context, timed_ms, TimingEffort::report);
    suggestions.push_back({unit.name, before, after, times.first_ms - times.second_ms});
  }
  std::stable_sort(
      suggestions.begin(), suggestions.end(),
      [](const Suggestion& a, const Suggestion& b) { return a.after_db > b.after_db; });
  return suggestions;
}

}  // namespace ortool
