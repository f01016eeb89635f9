// Elements of values that are known before the run.
#pragma once

#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/ops/known_value.hpp"

namespace ortool {

/// Known elements by value; contains only values of which something is known.
using KnownValues = std::unordered_map<const Value*, KnownElements>;

/// Propagates the graph's inputs through shape arithmetic, for the values of the main graph and all
/// nested graphs. Ignores declared types of node outputs; afterwards, types are at least as precise
/// as before. Takes as long as infer_shapes and throws the same errors.
KnownValues infer_known_values(Model& model);

}  // namespace ortool
