// Which calibration method suits a model, and whether fitted weights do: what keeps the outputs
// closest to the float model's.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/form_judge.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Quantises copies of the prepared model by each of the methods in turn, to the nearest levels;
/// then, with weights fitted, by the best one, and by the second best where that is no more than
/// 6 dB behind. Tells all, the best one first, then by what they leave: a fitted form unless one of
/// nearest levels is_better(). What `choices` say of nodes holds in all.
std::vector<MethodTrial> try_methods(const CandidateMaker& maker, const FormJudge& judge,
                                     const Calibration& calibration, const PlanChoices& choices,
                                     const std::vector<CalibrationMethod>& methods);

/// The choices with which every value that was calibrated has its range by `method`.
PlanChoices with_method(PlanChoices choices, const Calibration& calibration,
                        CalibrationMethod method);

}  // namespace ortool
