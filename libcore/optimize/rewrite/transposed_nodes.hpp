// Clones axis-wise operators for a transposed input; used to sink Transposes.
#pragma once

#include <cstdint>

#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"

namespace ortool {

/// The attributes of an ArgMax or ArgMin.
ArgExtreme arg_extreme_of(const Node& node);

/// Whether the node does the same, bit for bit, to its transposed first input (of `rank` axes):
/// Pad, Slice, Split, Resize to the nearest neighbor, and ArgMax, ArgMin, ReduceMax and ReduceMin
/// that keep their axes. Operands that select axes must be known.
bool has_transposed_form(const Node& node, std::int64_t rank);

/// A clone of the node for `x`, which is its first input transposed by `order`; returns output
/// `index`, transposed likewise.
Value& add_transposed(Replacement& replacement, const Node& node, Value& x, const Integers& order,
                      std::int64_t index);

}  // namespace ortool
