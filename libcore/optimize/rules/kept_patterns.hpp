// What other runtimes know by a pattern of nodes, which a file leaves whole for them.
#pragma once

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/match.hpp"

namespace ortool {

/// Whether a sum or product with a vector of weights ends what others take for a normalisation or
/// for the biased product of an attention: both are known with their weights only, were they ones
/// or zeros. Never where ortool alone reads the result, or where the opset has LayerNormalization.
/// `x` is the other operand.
bool completes_known_pattern(const Match& match, const Value& x, const Value& weights);

/// Whether a value is a mask of attention as BERT writes it: (1 - mask) * number, with a Cast
/// perhaps, in an opset without LayerNormalization.
bool is_known_mask(const Match& match, const Value& value);

}  // namespace ortool
