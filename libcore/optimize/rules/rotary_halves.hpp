// What the rules for rotary embeddings share: heads turned by halves, and angles for each row.
#pragma once

#include <cstdint>

#include "libcore/optimize/rewrite/pattern.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// x cos + (-upper half of x, lower half of x) sin; binds "x", "upper", "lower" and "rotated".
Pattern rotated_halves(const Pattern& cos, const Pattern& sin);
/// Whether the halves of each head (x: batch x heads x length x size) change places so.
Verdict turns_halves(const Match& match);

/// Whether rows of `have` batches, 1 or all of them, can be had for the whole batch.
bool can_repeat(const Graph& graph, const Dimension& have, const Dimension& batch);
/// `rows`, of rank 2 or 3 and with a first axis of 1, repeated for each row of the batch. What it
/// is repeated to is asked of a graph input, so that all that does so is one.
Value& repeated_rows(Replacement& replacement, Value& rows, const Dimension& have,
                     const Dimension& batch);

}  // namespace ortool
