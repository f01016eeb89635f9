// From what calibration recorded to the scales of a plan.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/calibration.hpp"
#include "libcore/quantize/insert_qdq.hpp"
#include "libcore/quantize/methods.hpp"
#include "libcore/quantize/plan.hpp"

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

/// A scale for each group of the plan: it holds the ranges chosen for all values of the group.
/// `chosen` gets a row a value. The records must hold all values of the plan (see unseen_values).
std::vector<GroupNumbers> choose_numbers(const QuantizePlan& plan, const Calibration& calibration,
                                         QuantizationType type, const MethodOptions& options,
                                         std::vector<ChosenValue>& chosen);

/// Whether a node reads or makes a value that calibration never saw, as in a branch not taken.
bool reads_unseen(const Node& node, const Calibration& calibration);

}  // namespace ortool
