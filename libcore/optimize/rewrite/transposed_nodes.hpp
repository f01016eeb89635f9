// Nodes that treat each axis on its own, once more for a value whose axes stand in another order.
#pragma once

#include <cstdint>

#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"

namespace ortool {

/// What an ArgMax or ArgMin says.
ArgExtreme arg_extreme_of(const Node& node);

/// Whether the node does the same, bit for bit, to its first input (of `rank` axes) turned: Pad,
/// Slice, Split, Resize to nearest neighbours, and ArgMax, ArgMin, ReduceMax and ReduceMin that
/// keep their axes. What says which axes they mean has to be known.
bool has_turned_form(const Node& node, std::int64_t rank);

/// The node of `x`, which is its first input turned by `order`; the result is output `index` turned
/// by it.
Value& add_turned(Replacement& replacement, const Node& node, Value& x, const Integers& order,
                  std::int64_t index);

}  // namespace ortool
