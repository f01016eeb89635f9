// Preserved patterns: node sequences in files that other runtimes fuse by pattern matching.
#pragma once

#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/match.hpp"

namespace ortool {

/// Whether a sum or product with a weight vector completes what other runtimes recognize as a
/// normalization or as the biased product of an attention that is masked as in BERT; they match
/// these only with weights, even if these are ones or zeros. Never when ortool alone reads the
/// result, nor in opsets in which they match other patterns. `x` is the other operand.
bool completes_known_pattern(const Match& match, const Value& x, const Value& weights);

/// Whether a value is an attention mask as in BERT: (1 - mask) * number, possibly with a Cast, in
/// an opset in which other runtimes recognize it.
bool is_known_mask(const Match& match, const Value& value);

}  // namespace ortool
