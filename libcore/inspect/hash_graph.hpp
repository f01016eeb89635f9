// A hash of everything that a run depends on except the content of weights.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// SHA-256, as 64 digits, of opsets, names and element types of inputs, names of outputs, nodes
/// with attributes and names, and names, types and shapes of weights, in all graphs of the model.
/// Independent of other shapes, content of weights, documentation and metadata.
std::string hash_graph(const Model& model);

}  // namespace ortool
