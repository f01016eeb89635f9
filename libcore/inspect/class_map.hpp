// Class maps: outputs with a class index at each position, as in segmentation.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Names of the integer outputs that come from ArgMax or ArgMin through casts and moves only. Where
/// two scores are nearly equal, rounding decides the class. Needs only the types that the model
/// declares for its outputs.
std::set<std::string, std::less<>> class_maps(const Model& model);

}  // namespace ortool
