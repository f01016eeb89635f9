// Node queries for passes: determinism, operands, attributes.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Whether two runs on the same inputs may differ, or the operator is unknown.
bool may_change(const Node& node);
/// The constant that a value is or, as a capture, refers to; null for none.
const Tensor* constant_of(const Value& value);
/// The node's outputs, without omitted ones.
std::vector<Value*> outputs_of(const Node& node);
/// The node's inputs, without omitted ones; including captures of its subgraphs.
std::vector<Value*> inputs_of(const Node& node);
/// Appends the attributes as text, equal for equal ones; false for nodes with subgraphs or large
/// tensors.
bool append_attributes(const Node& node, std::string& text);

}  // namespace ortool
