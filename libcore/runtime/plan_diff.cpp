// Plan diff: slots before the table's first are inputs, or results of an earlier plan.
#include "libcore/runtime/plan_diff.hpp"

namespace ortool {

Likeness PlanLikeness::of(Slot slot) const {
  if (slot == no_slot || is_constant_slot(slot)) return {true, true};
  if (slot < table_.first()) return compare(table_.at(slot), slot);
  const auto index = static_cast<std::size_t>(slot - table_.first());
  return index < noted_.size() ? noted_[index] : Likeness();
}

Likeness PlanLikeness::compare(const Operand& operand, Slot slot) const {
  if (!like_->table().has(slot)) return {};
  const Operand& other = like_->table().at(slot);
  const bool has_one_form = have_one_form(operand, other);
  return {has_one_form, has_one_form && have_one_content(operand, other)};
}

void PlanLikeness::note(Slot slot, Likeness likeness) {
  const auto index = static_cast<std::size_t>(slot - table_.first());
  if (noted_.size() <= index) noted_.resize(2 * index + 16);
  noted_[index] = likeness;
}

}  // namespace ortool
