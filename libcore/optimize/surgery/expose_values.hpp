// Intermediate values as outputs of a model: marks values between its nodes as graph outputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// The values of the main graph that nodes compute and that are not outputs yet, in the order of
/// the nodes.
std::vector<std::string> intermediate_values(const Model& model);

/// Makes the named values outputs, after those that the model has. Their types are inferred, those
/// that the file declares remain.
void expose_values(Model& model, std::span<const std::string> names);

}  // namespace ortool
