// Layout choice: one assignment of layouts to the values of a group of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/tensor/layout.hpp"

namespace ortool {

/// The layouts of a group's inputs and outputs, by position (NodeView::inputs() and outputs();
/// plain beyond the end of a list), and the estimated time of the group with them.
struct LayoutChoice {
  std::vector<Layout> inputs;
  std::vector<Layout> outputs;
  double nanoseconds = 0;  ///< single-threaded; unknown dimensions get typical sizes
  /// Inputs in blocked16, a bit each, that may be in blocked16_bfloat16 instead.
  std::uint32_t bfloat16_inputs = 0;
  /// Those of them that the kernel rounds to bfloat16 in any case.
  std::uint32_t rounded_inputs = 0;
  /// Whether output 0 may be in blocked16_bfloat16 instead of blocked16.
  bool may_write_bfloat16 = false;

  Layout input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : Layout::plain;
  }
  Layout output(std::size_t index) const {
    return index < outputs.size() ? outputs[index] : Layout::plain;
  }
  bool may_read_bfloat16(std::size_t index) const { return has_bit(bfloat16_inputs, index); }
  bool rounds(std::size_t index) const { return has_bit(rounded_inputs, index); }
  bool is_plain() const {
    for (const Layout layout : inputs) {
      if (layout != Layout::plain) return false;
    }
    for (const Layout layout : outputs) {
      if (layout != Layout::plain) return false;
    }
    return true;
  }

 private:
  static bool has_bit(std::uint32_t bits, std::size_t index) {
    return index < 32 && (bits >> index & 1U) != 0;
  }
};

}  // namespace ortool
