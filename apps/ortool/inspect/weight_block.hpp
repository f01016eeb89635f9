// JSON of weight statistics for the HTML page: range, histogram and first values of each tensor.
#pragma once

#include "libcore/graph/model.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// For each stored tensor an object: `name`; `first`, its first 16 elements as text; from two
/// numbers on `min`, `max`, `mean`, `std`, and `nan` and `inf` if there are any; `histogram`,
/// counts of 32 equal ranges from min to max, or from `low` to `high`, the bounds of the finite
/// elements, if there are infinite ones; `sampled` if only that many elements were counted. The
/// 10,000 largest tensors have `first`, the 2,000 largest `histogram`. An empty list unless
/// `reads_weights`. Reads the tensors while it is written; the model outlives it.
Json weight_blocks(const Model& model, bool reads_weights);

}  // namespace ortool
