// A model file's text without its large weights: what can be said of a file before it is written.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// What save_model would write, with the data of all tensors of 4 kB or more left out: they stand
/// in it as external data, in a file that is nowhere. To be read without external data.
std::string outline_of(const Model& model);

}  // namespace ortool
