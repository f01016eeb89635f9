// Plan diff: which operands a plan under construction has in common with an earlier one.
#pragma once

#include <vector>

#include "libcore/runtime/plan/plan.hpp"

namespace ortool {

/// The comparison of a slot's operand in two plans.
struct SlotDiff {
  bool has_one_type = false;
  bool has_one_content = false;
};

/// Compares each slot once, when it is set.
class PlanDiff {
 public:
  /// `like` is the plan to reuse, null for none; `table` belongs to the plan under construction.
  /// Both must outlive this object.
  PlanDiff(const Plan* like, const OperandTable& table) : like_(like), table_(table) {}

  /// Constants are always equal, inputs are compared on demand, other slots as recorded.
  SlotDiff of(Slot slot) const;
  SlotDiff compare(const Operand& operand, Slot slot) const;
  void note(Slot slot, SlotDiff diff);

 private:
  const Plan* like_;
  const OperandTable& table_;
  std::vector<SlotDiff> noted_;  ///< by slot from the table's first on
};

}  // namespace ortool
