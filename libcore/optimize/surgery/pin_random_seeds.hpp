// Random seeds: fixes unset ones, so that two forms of a model draw the same random numbers.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Gives each random operator without a seed one of its own, in all graphs and functions,
/// deterministically for the model. Returns how many were set. Operators whose version has no seed
/// are left unchanged.
std::int64_t pin_random_seeds(Model& model);

}  // namespace ortool
