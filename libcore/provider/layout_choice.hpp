// One way to compute a group of nodes, as far as the layouts of its values go.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/tensor/layout.hpp"

namespace ortool {

/// How what a group reads and makes lies, by position (NodeView::inputs() and outputs(); plain
/// where a list ends), and about how long the group takes so.
struct LayoutChoice {
  std::vector<Layout> inputs;
  std::vector<Layout> outputs;
  double nanoseconds = 0;  ///< one thread; unknown dimensions taken as common ones

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
