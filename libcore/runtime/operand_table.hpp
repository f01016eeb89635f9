// Operand table: concrete shapes, and known contents, of the values around part of a graph.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "libcore/runtime/slot.hpp"

namespace ortool {

/// An operand, with ownership of its known content.
struct KnownOperand {
  Operand operand;
  std::shared_ptr<const Tensor> content;

  static std::shared_ptr<const KnownOperand> of_content(Tensor tensor);
  static std::shared_ptr<const KnownOperand> of_form(DataType type, Shape shape,
                                                     Layout layout = Layout::plain);
};

/// Shared between plans.
using KnownOperandPtr = std::shared_ptr<const KnownOperand>;

/// Whether two operands have equal types, shapes and layouts.
bool have_one_type(const Operand& a, const Operand& b);
/// Whether equal content is known, for operands of equal type, shape and layout. Does not count as
/// access.
bool have_one_content(const Operand& a, const Operand& b);

/// Extended step by step while a plan is built. Slots from `first` on are those of the plan's own
/// steps, in sequence; earlier ones come from preceding plans, if they are read here or later.
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
  /// Operands by position, including omitted ones; their contents count as not accessed.
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
