// Divergence search: runs both sessions in lockstep until a pair of values differs.
#include "libcore/verify/divergence.hpp"

namespace ortool {

std::optional<Divergence> find_divergence(const ObservedRun& run, const ObservedRun& other,
                                          const Judge& judge) {
  std::optional<Divergence> result;
  PairedRuns().run(
      run, other,
      [&](const Node& node, std::int64_t index, const RunValue& mine, const RunValue& others) {
        const Judge::Verdict verdict = judge.compare_output(mine, others);
        if (verdict.has_passed) return true;
        result = Divergence{std::string(node.name()), std::string(node.op_type()),
                            std::string(node.output(index)->name()), verdict.reason,
                            verdict.comparison.sqnr_db};
        return false;
      });
  return result;
}

}  // namespace ortool
