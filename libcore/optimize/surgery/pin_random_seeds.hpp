// Seeds for random operators that have none, so that two forms of a model draw the same numbers.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Gives each random operator without a seed one of its own, in all graphs and functions: the same
/// ones for the same model. Returns how many got one. Operators whose version has no seed stay as
/// they are.
std::int64_t pin_random_seeds(Model& model);

}  // namespace ortool
