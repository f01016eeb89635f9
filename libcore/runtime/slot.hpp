// Slot: number of a value of a graph, in the order in which a run produces them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortool {

/// From 0: graph inputs, captured values, then outputs step by step. Below `no_slot`: constants.
using Slot = std::int32_t;

/// An omitted operand.
inline constexpr Slot no_slot = -1;

inline bool is_constant_slot(Slot slot) {
  return slot < no_slot;
}
inline std::size_t constant_index(Slot slot) {
  return static_cast<std::size_t>(no_slot - 1 - slot);
}
inline Slot constant_slot(std::size_t index) {
  return no_slot - 1 - static_cast<Slot>(index);
}

}  // namespace ortool
