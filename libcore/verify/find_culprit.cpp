// Culprit of a difference: bisects the number of rewrites after which the outputs first differ.
#include <memory>
#include <utility>

#include "libcore/verify/verification.hpp"

namespace ortool {

void Verifier::tell_difference(const Reference& reference, const RewriteReport& report,
                               Verification& result) {
  Verification repeated;
  if (!compare(reference.original, run(reference.original, reference.inputs), reference.expected,
               repeated)) {
    result.has_passed.reset();
    result.reason = "the original gives different outputs on each run";
    return;
  }
  result.inputs = reference.inputs;
  Candidate unchanged{.rewrites = 0};
  Verification ignored;
  if (!is_same(unchanged, reference, ignored)) {
    result.reason += "; the same without any pass: the conversion causes it";
    return;
  }
  if (result.differs_in_session && !is_same_in_session(unchanged, reference, ignored)) {
    result.reason += "; the same without any pass: the session causes it, not the file";
    const bool is_judged =
        rewriting_.settings().must_verify && !rewriting_.settings().has_16_bits();
    if (!is_judged) result.has_passed.reset();
    return;
  }
  result.culprit = find_culprit(reference, report.rewrites, result.differs_in_session);
}

CulpritChange Verifier::find_culprit(const Reference& reference, std::int64_t rewrites,
                                     bool in_session) {
  std::int64_t same = 0;
  std::int64_t different = rewrites;
  const auto is_same_after = [&](std::int64_t count, RewriteReport& report) {
    Candidate candidate{.rewrites = count};
    Verification ignored;
    const bool is_same_model = is_same(candidate, reference, ignored) &&
                               (!in_session || is_same_in_session(candidate, reference, ignored));
    report = std::move(candidate.report);
    return is_same_model;
  };
  RewriteReport report;
  while (different - same > 1) {
    task_.stop.poll();
    const std::int64_t middle = same + (different - same) / 2;
    (is_same_after(middle, report) ? same : different) = middle;
  }
  static_cast<void>(is_same_after(different, report));
  CulpritChange culprit;
  culprit.number = different;
  for (const RewriteEvent& event : report.events) {
    if (!event.reason.empty()) continue;
    culprit.pass = event.rule;
    culprit.node = event.node;
    culprit.members = event.members;
  }
  return culprit;
}

}  // namespace ortool
