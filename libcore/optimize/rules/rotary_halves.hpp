// Shared parts of the rotary embedding rules: rotated halves, and angles per row.
#pragma once

#include <cstdint>

#include "libcore/optimize/rewrite/pattern.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// x cos + (-upper half of x, lower half of x) sin; binds "x", "upper", "lower" and "rotated".
Pattern rotated_halves(const Pattern& cos, const Pattern& sin);
/// Whether the halves of each head (x: batch x heads x length x size) are swapped in this way.
Verdict rotates_halves(const Match& match);

/// Whether rows with a leading dimension of `have`, 1 or the full batch, can be repeated for the
/// batch.
bool can_repeat(const Graph& graph, const Dimension& have, const Dimension& batch);
/// `rows`, of rank 2 or 3 and with a leading axis of 1, repeated for each element of the batch. The
/// batch size is read from a graph input, so that all such nodes can share it.
Value& repeated_rows(Replacement& replacement, Value& rows, const Dimension& have,
                     const Dimension& batch);

}  // namespace ortool
