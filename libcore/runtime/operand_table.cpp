// Operand table: finds the operands of one plan by slot.
#include "libcore/runtime/operand_table.hpp"

#include <cstring>

namespace ortool {

KnownOperandPtr KnownOperand::of_content(Tensor tensor) {
  auto content = std::make_shared<const Tensor>(std::move(tensor));
  return std::make_shared<const KnownOperand>(
      KnownOperand{{content->type(), content->shape(), content.get(), Layout::plain}, content});
}

KnownOperandPtr KnownOperand::of_form(DataType type, Shape shape, Layout layout) {
  return std::make_shared<const KnownOperand>(
      KnownOperand{{type, std::move(shape), nullptr, layout}, {}});
}

bool have_one_type(const Operand& a, const Operand& b) {
  return a.type == b.type && a.shape == b.shape && a.layout == b.layout;
}

bool have_one_content(const Operand& a, const Operand& b) {
  const Tensor* first = a.known.peek_value();
  const Tensor* second = b.known.peek_value();
  if (first == second) return true;
  if (first == nullptr || second == nullptr || a.type == DataType::string) return false;
  return first->bytes() == second->bytes() ||
         std::memcmp(first->bytes(), second->bytes(),
                     static_cast<std::size_t>(first->size_bytes())) == 0;
}

bool OperandTable::has(Slot slot) const {
  if (slot >= first_) {
    const auto index = static_cast<std::size_t>(slot - first_);
    return index < own_.size() && own_[index] != nullptr;
  }
  return is_constant_slot(slot) || earlier_.contains(slot);
}

const KnownOperandPtr& OperandTable::entry(Slot slot) const {
  if (slot >= first_) return own_[static_cast<std::size_t>(slot - first_)];
  const auto found = earlier_.find(slot);
  ORTOOL_CHECK(found != earlier_.end());
  return found->second;
}

std::vector<Operand> OperandTable::gather(std::span<const Slot> slots) const {
  std::vector<Operand> result;
  result.reserve(slots.size());
  for (const Slot slot : slots) {
    result.push_back(slot != no_slot ? at(slot) : Operand());
    result.back().known.forget_reads();
  }
  return result;
}

void OperandTable::set(Slot slot, KnownOperandPtr entry) {
  if (slot < first_) {
    earlier_[slot] = std::move(entry);
    return;
  }
  const auto index = static_cast<std::size_t>(slot - first_);
  if (own_.size() <= index) own_.resize(2 * index + 16);
  own_[index] = std::move(entry);
}

}  // namespace ortool
