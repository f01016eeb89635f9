// What a plan that is being built has in common with an earlier one.
#pragma once

#include <vector>

#include "libcore/runtime/plan.hpp"

namespace ortool {

/// How what a slot holds compares in two plans.
struct Likeness {
  bool has_one_form = false;
  bool has_one_content = false;
};

/// Compares each slot once, when it is set.
class PlanLikeness {
 public:
  /// `like` is the plan to learn from, null for none; `table` that of the plan at hand. Both must
  /// outlive this.
  PlanLikeness(const Plan* like, const OperandTable& table) : like_(like), table_(table) {}

  /// Constants are alike, inputs are compared when asked for, others are as they were noted.
  Likeness of(Slot slot) const;
  Likeness compare(const Operand& operand, Slot slot) const;
  void note(Slot slot, Likeness likeness);

 private:
  const Plan* like_;
  const OperandTable& table_;
  std::vector<Likeness> noted_;  ///< by slot from the table's first on
};

}  // namespace ortool
