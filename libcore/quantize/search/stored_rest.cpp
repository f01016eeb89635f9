// Stored weights of float operators: both forms run on a few samples.
#include "libcore/quantize/search/stored_rest.hpp"

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Above it, noise is below a three-hundredth of the signal.
constexpr double good_db = 50;
/// Half of the noise: less is not worth a larger file.
constexpr double min_gain_db = 3;
constexpr std::int64_t max_samples = 8;

}  // namespace

void leave_rest_in_float(const CandidateBuilder& builder, const Session& floats,
                         CalibrationData& data, PlanChoices& choices, Candidate& candidate,
                         EndToEnd& compared) {
  if (candidate.plan.stored_rest == 0 || !(worst_sqnr_db(compared.outputs) < good_db)) return;
  const QuantizeContext& context = builder.context();
  const auto worst_of = [&](const Model& model) {
    const auto session =
        make_session(context.task, context.machine, model, level_of_comparison(context.task));
    return worst_sqnr_db(
        compare_outputs(context.task, context.machine, floats, *session, data, max_samples));
  };
  PlanChoices tried = choices;
  tried.stores_rest = false;
  Candidate without = builder.make(tried);
  const double stored = compared.samples <= max_samples ? worst_sqnr_db(compared.outputs)
                                                        : worst_of(*candidate.model);
  const double floating = worst_of(*without.model);
  if (!(floating > stored + min_gain_db)) return;
  context.task.note(
      format("{} weight tensors of operators that compute in float stay in float: stored as integers "
             "they would lower the SQNR of the worst output from {} to {}",
             candidate.plan.stored_rest, decibels(floating), decibels(stored)));
  choices = std::move(tried);
  candidate = std::move(without);
  compared = compare_models(context.task, context.machine, floats, *candidate.model, data);
}

}  // namespace ortool
