// Plan diff: slots before the table's first are inputs, or results of an earlier plan.
#include "libcore/runtime/plan/plan_diff.hpp"

namespace ortool {

SlotDiff PlanDiff::of(Slot slot) const {
  if (slot == no_slot || is_constant_slot(slot)) return {true, true};
  if (slot < table_.first()) return compare(table_.at(slot), slot);
  const auto index = static_cast<std::size_t>(slot - table_.first());
  return index < noted_.size() ? noted_[index] : SlotDiff();
}

SlotDiff PlanDiff::compare(const Operand& operand, Slot slot) const {
  if (!like_->table().has(slot)) return {};
  const Operand& other = like_->table().at(slot);
  const bool has_one_type = have_one_type(operand, other);
  return {has_one_type, has_one_type && have_one_content(operand, other)};
}

void PlanDiff::note(Slot slot, SlotDiff diff) {
  const auto index = static_cast<std::size_t>(slot - table_.first());
  if (noted_.size() <= index) noted_.resize(2 * index + 16);
  noted_[index] = diff;
}

}  // namespace ortool
