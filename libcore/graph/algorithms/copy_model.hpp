// A model of its own with the same content, so that one can change and the other stay.
#pragma once

#include <memory>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Values, nodes and graphs are made anew, with the same names and in the same order; tensors share
/// their bytes with the original. What only the form of a file needs (declarations, sparse
/// initialisers, unknown fields) is left behind, and so are functions: their calls must have been
/// inlined.
std::unique_ptr<Model> copy_model(const Model& model);

/// Gives `to` what `from` holds; nothing where that is graphs.
void copy_held(const Attribute& from, Attribute& to);

/// An attribute once more, with its notes and what its file said of it; of graphs only the name.
Attribute copy_attribute(const Attribute& attribute);

/// Copies of the node's attributes without what belongs to files, those that hold graphs left out.
std::vector<Attribute> copy_attributes(const Node& node);

}  // namespace ortool
