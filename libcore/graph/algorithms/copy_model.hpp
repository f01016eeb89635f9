// Deep copy of a model, so that the copy can be modified independently.
#pragma once

#include <memory>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Creates new values, nodes and graphs with the same names and order; tensors share their data
/// with the original. Drops what only matters for the file format (declarations, sparse
/// initializers, unknown fields) and functions, whose calls must have been inlined.
std::unique_ptr<Model> copy_model(const Model& model);

/// Copies the value of `from` to `to`; does nothing for graphs.
void copy_held(const Attribute& from, Attribute& to);

/// Copies an attribute with its notes and file information; of graphs, only the name.
Attribute copy_attribute(const Attribute& attribute);

/// Copies of the node's attributes without file-specific data; those with graphs are omitted.
std::vector<Attribute> copy_attributes(const Node& node);

}  // namespace ortool
