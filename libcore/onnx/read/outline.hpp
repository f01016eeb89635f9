// Outline: a model file without its large weights, for checking a model before it is written.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// What save_model would write, but with all tensors of 4 kB or more as external data in a file
/// that does not exist. Load it without external data.
std::string outline_of(const Model& model);

}  // namespace ortool
