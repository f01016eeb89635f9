// Verification report as JSON and text.
#include "apps/ortool/optimize/verification_report.hpp"

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

Json verification_block(const Verification& verification) {
  Json block = Json::object();
  block.set("runs", verification.runs)
      .set("max_abs_error", verification.max_abs_error)
      .set("max_rel_error", verification.max_rel_error)
      .set("passed", verification.has_passed ? Json(*verification.has_passed) : Json())
      .set("reason", verification.reason.empty() ? Json() : Json(verification.reason));
  if (!verification.tolerance.empty()) block.set("tolerance", verification.tolerance);
  if (verification.pinned_seeds > 0) block.set("pinned_seeds", verification.pinned_seeds);
  if (!verification.output.empty()) block.set("output", verification.output);
  if (verification.differs_in_session) block.set("differs_in_session", true);
  if (verification.stages) {
    const RoundingCheck& rounding = verification.stages->rounding;
    block.set("stages", Json::object()
                            .set("count", verification.stages->stages)
                            .set("values", rounding.count)
                            .set("rounded_differently", rounding.differing)
                            .set("largest_excess_units", rounding.largest_excess_units)
                            .set("sqnr_db", verification.sqnr_db));
  }
  if (verification.culprit) {
    block.set("culprit", Json::object()
                             .set("pass", verification.culprit->pass)
                             .set("node", verification.culprit->node)
                             .set("members", Json::list_of(verification.culprit->members))
                             .set("change", verification.culprit->number));
  }
  return block;
}

std::string conditions_text(const Verification& verification) {
  std::string text;
  if (!verification.tolerance.empty()) text = verification.tolerance + "\n";
  if (verification.pinned_seeds == 0) return text;
  return text + format("random numbers of {} {} without a seed: the same in both models\n",
                       verification.pinned_seeds,
                       verification.pinned_seeds == 1 ? "node" : "nodes");
}

std::string stages_text(const Verification& verification) {
  if (!verification.stages) return {};
  const RoundingCheck& rounding = verification.stages->rounding;
  return format(
      "in {} stages: {} of {} quantized values are rounded differently, which accounts for the "
      "error; outputs at {} dB (SQNR)\n",
      verification.stages->stages, rounding.differing, rounding.count,
      readable_number(verification.sqnr_db));
}

}  // namespace ortool
