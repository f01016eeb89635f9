// Whether a node may refuse its operands in a run: a rule that takes such a node away drops the
// check.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether the elements of an integer operand follow from constants and shapes alone, so that shape
/// inference has seen them: false for anything that a run brings or computes from data.
bool follows_from_shapes(const Value& value);

/// Whether all inputs behind the first are left out, constant, or follow from shapes.
bool has_inferred_operands(const Node& node);

/// Whether a Reshape, Flatten, Squeeze, Unsqueeze or Transpose takes every input of its input's
/// type: a Reshape keeps the number of elements whatever symbols stand for, a Squeeze takes away
/// axes that are known to be 1. False for any other node.
bool takes_every_input(const Node& move);

/// How many elements a Reshape takes, and no other number; nothing where it is none, copies a size,
/// or leaves one open.
std::optional<std::int64_t> wanted_elements(const Node& node);

}  // namespace ortool
