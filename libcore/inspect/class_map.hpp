// Class maps: outputs that hold the number of a class at each place, such as a segmentation's.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Names of the integer outputs that ArgMax or ArgMin makes, cast or moved at most. Where two
/// scores are nearly equal, rounding decides which class stands there. Needs no types but those
/// that the model declares for its outputs.
std::set<std::string, std::less<>> class_maps(const Model& model);

}  // namespace ortool
