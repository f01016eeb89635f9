// From what calibration recorded to the scales of a plan.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

/// Every value whose range a plan may need, whatever nodes are left out of it later: those that
/// plannable nodes read and make. In order, each once; constants are not among them.
std::vector<ValueRequest> requested_values(const QuantizePlan& plan);

/// How the range of a value of the plan was chosen.
struct ChosenValue {
  std::string name;
  std::int64_t group = 0;
  ChosenRange chosen;
};

/// What the numbers of a plan are chosen from.
struct NumberSource {
  const Calibration* calibration = nullptr;  ///< null: only what `choices` says
  QuantizationType type;
  MethodOptions method;
  const PlanChoices* choices = nullptr;  ///< of values; null: none
};

/// A scale for each group of the plan: the one that a choice says for one of its values, else one
/// that holds the ranges chosen for all of them. `chosen` gets a row a value. Throws
/// ErrorCode::invalid where choices of one group contradict each other, and for values that neither
/// the choices nor the calibration know.
std::vector<GroupNumbers> choose_numbers(const QuantizePlan& plan, const NumberSource& source,
                                         std::vector<ChosenValue>& chosen);

/// Whether a node reads or makes a value that calibration never saw, as in a branch not taken.
bool reads_unseen(const Node& node, const Calibration& calibration);

}  // namespace ortool
