// Cache outputs: keys, values and states that a decoder hands to its next step.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Names of the outputs that are named like caches (present.0.key), or that an operator gives as
/// its present keys, values or state. They hold no scores: which of their elements is the largest
/// says nothing.
std::set<std::string, std::less<>> cache_outputs(const Model& model);

}  // namespace ortool
