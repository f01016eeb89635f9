// Layouts of kernels on bytes that take images plain or in blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/layout_choice.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// Whether `value` is computed and an image [batch, channels, ...] of known channels.
bool is_int8_image(const Value& value);

/// Two choices of the same price, all plain, or the inputs `images` in blocks and the result in
/// `output`; the search begins with the blocked one.
std::vector<LayoutChoice> plain_or_blocked_bytes(const NodeView& view,
                                                 const std::vector<std::size_t>& images,
                                                 Layout output = Layout::blocked16);

}  // namespace ortool
