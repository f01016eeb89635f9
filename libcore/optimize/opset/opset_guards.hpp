// Steps across which a node keeps its form and not its meaning.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool::guards {

// Each is an OpsetAdapter, called up from the older meaning or down to it.

/// Clip at 6: what is not given is bounded from here on.
Node& unbounded_clip_up(Node& node);
/// Clip at 11: what was not given was bounded by float32's own range, and is not bounded.
Node& clip_up(Node& node);
Node& clip_down(Node& node);
/// OneHot at 11: an index below 0 stood for nothing, and counts from the end.
Node& one_hot(Node& node);
/// QuantizeLinear and DequantizeLinear at 13: one scale before.
Node& single_scale_down(Node& node);
/// RoiAlign at 16: half a pixel is taken off unless told otherwise.
Node& roi_align_up(Node& node);
Node& roi_align_down(Node& node);
/// MaxPool, AveragePool and LpPool at 22: windows wider than their image are counted another way
/// with ceil_mode. Sizes that are not known are taken to be as wide as the window.
Node& wide_window(Node& node);
/// Cast and CastLike at 24: floats beyond 4 bits were saturated, and wrap.
Node& narrow_cast(Node& node);

}  // namespace ortool::guards
