// Layouts of int8 kernels that support images in NCHW and NCHW16c.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/provider/layout_choice.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// Whether `value` is computed and an image [batch, channels, ...] with known channels.
bool is_int8_image(const Value& value);

/// Two choices of the same cost: everything in NCHW, or the inputs `images` in NCHW16c and the
/// result in `output`; the search starts with the latter.
std::vector<LayoutChoice> int8_layout_choices(const NodeView& view,
                                              const std::vector<std::size_t>& images,
                                              Layout output = Layout::blocked16);

}  // namespace ortool
