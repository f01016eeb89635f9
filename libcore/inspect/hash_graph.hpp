// One number for everything a run depends on but the weights' contents.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// SHA-256, as 64 digits, of opsets, names and element types of inputs, names of outputs, nodes
/// with attributes and names, and names, types and shapes of weights, in all graphs of the model.
/// Other shapes, weights, documentation and metadata make no difference.
std::string hash_graph(const Model& model);

}  // namespace ortool
