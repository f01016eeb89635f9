// What passes ask of nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether two runs on the same inputs may give different results, or what the node does is not
/// known.
bool may_change(const Node& node);
/// The constant that a value holds, also where it stands for one of a graph around; null for none.
const Tensor* constant_of(const Value& value);
/// What the node gives, without outputs left out.
std::vector<Value*> outputs_of(const Node& node);
/// What the node reads, without inputs left out; with what graphs inside it capture.
std::vector<Value*> inputs_of(const Node& node);
/// Attributes as text, equal for equal ones; nothing for nodes with graphs or large tensors.
bool append_attributes(const Node& node, std::string& text);

}  // namespace ortool
