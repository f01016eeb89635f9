// Opset guards: version changes that keep a node's form but change its meaning.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool::guards {

// Each is an OpsetAdapter, called up from the older meaning or down to it.

/// Clip at 6: omitted bounds become those of float32.
Node& unbounded_clip_up(Node& node);
/// Clip at 11: omitted bounds were float32's range, and become unbounded.
Node& clip_up(Node& node);
Node& clip_down(Node& node);
/// OneHot at 11: negative indices selected nothing, and now count from the end.
Node& one_hot(Node& node);
/// QuantizeLinear and DequantizeLinear at 13: per-tensor scales only before.
Node& single_scale_down(Node& node);
/// RoiAlign at 16: subtracts half a pixel by default.
Node& roi_align_up(Node& node);
Node& roi_align_down(Node& node);
/// MaxPool, AveragePool and LpPool at 22: with ceil_mode, windows wider than their image are
/// counted differently. Unknown sizes are assumed to be at least as wide as the window.
Node& wide_window(Node& node);
/// Cast and CastLike at 24: floats out of range of a sub-byte integer type saturated before, and
/// wrap from here on.
Node& narrow_cast(Node& node);

}  // namespace ortool::guards
