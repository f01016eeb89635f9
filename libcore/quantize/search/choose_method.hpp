// Selection of the calibration method, and of weight fitting, by output SQNR.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/quantize/search/sqnr_judge.hpp"

namespace ortool {

/// Quantizes copies of the prepared model with each method, by nearest rounding; then, with fitted
/// weights, by the first method, or by the best if that is better beyond chance. Returns all
/// trials, the winner first, then by output SQNR: the fitted form wins unless one with nearest
/// rounding is better beyond chance. The node choices in `choices` apply to all.
std::vector<MethodTrial> try_methods(const CandidateBuilder& builder, const SqnrJudge& judge,
                                     const Calibration& calibration, const PlanChoices& choices,
                                     const std::vector<CalibrationMethod>& methods);

/// Why the first of `trials` is preferred although another has a higher SQNR; empty if none has.
std::string reason_of_preference(const std::vector<MethodTrial>& trials);

/// The choices that set `method` for every calibrated value.
PlanChoices with_method(PlanChoices choices, const Calibration& calibration,
                        CalibrationMethod method);

}  // namespace ortool
