// What is known of the elements of values before a run.
#pragma once

#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/ops/known_value.hpp"

namespace ortool {

/// Elements of values, by value; only of values of which something is known.
using KnownValues = std::unordered_map<const Value*, KnownElements>;

/// What shape arithmetic makes of the graph's inputs, for the values of the main graph and of all
/// graphs inside it. Believes nothing that the file declares of values that nodes make; afterwards
/// the types say at least what they said before. Takes as long as infer_shapes and throws the same.
KnownValues infer_known_values(Model& model);

}  // namespace ortool
