// Layout choice: one assignment of layouts to the values of a group of nodes.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/tensor/layout.hpp"

namespace ortool {

/// The layouts of a group's inputs and outputs, by position (NodeView::inputs() and outputs();
/// plain beyond the end of a list), and the estimated time of the group with them.
struct LayoutChoice {
  std::vector<Layout> inputs;
  std::vector<Layout> outputs;
  double nanoseconds = 0;  ///< single-threaded; unknown dimensions get typical sizes

  Layout input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : Layout::plain;
  }
  Layout output(std::size_t index) const {
    return index < outputs.size() ? outputs[index] : Layout::plain;
  }
  bool is_plain() const {
    for (const Layout layout : inputs) {
      if (layout != Layout::plain) return false;
    }
    for (const Layout layout : outputs) {
      if (layout != Layout::plain) return false;
    }
    return true;
  }
};

}  // namespace ortool
