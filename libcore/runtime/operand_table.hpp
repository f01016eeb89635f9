// The concrete shape, and the content where known, of the values around one stretch of a graph.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "libcore/runtime/slot.hpp"

namespace ortool {

/// An operand, and what keeps its known content alive.
struct KnownOperand {
  Operand operand;
  std::shared_ptr<const Tensor> content;

  static std::shared_ptr<const KnownOperand> of_content(Tensor tensor);
  static std::shared_ptr<const KnownOperand> of_form(DataType type, Shape shape,
                                                     Layout layout = Layout::plain);
};

/// What many plans share.
using KnownOperandPtr = std::shared_ptr<const KnownOperand>;

/// Whether two operands have equal types, shapes and layouts.
bool have_one_form(const Operand& a, const Operand& b);
/// Whether the same is known of their contents, for operands of one form. Counts as no look.
bool have_one_content(const Operand& a, const Operand& b);

/// Grows step by step as a plan is built. Slots from `first` on are the stretch's own, in a row;
/// those before come from the stretches before it, as far as they are read here or later.
class OperandTable {
 public:
  /// `constants` must outlive the table.
  OperandTable(std::span<const Operand> constants, Slot first)
      : constants_(constants), first_(first) {}

  bool has(Slot slot) const;
  const Operand& at(Slot slot) const {
    return is_constant_slot(slot) ? constants_[constant_index(slot)] : entry(slot)->operand;
  }
  const KnownOperandPtr& entry(Slot slot) const;
  /// Operands by position, left-out ones as such; nobody has looked at their contents yet.
  std::vector<Operand> gather(std::span<const Slot> slots) const;
  void set(Slot slot, KnownOperandPtr entry);
  Slot first() const { return first_; }

 private:
  std::span<const Operand> constants_;
  Slot first_;
  std::vector<KnownOperandPtr> own_;
  std::unordered_map<Slot, KnownOperandPtr> earlier_;
};

}  // namespace ortool
