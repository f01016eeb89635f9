// Run-time checks of operands: whether removing a node would drop an error that it could raise.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Whether the elements of an integer operand follow from constants and shapes alone, so that shape
/// inference has checked them: false for anything that is an input or computed from data.
bool follows_from_shapes(const Value& value);

/// Whether all inputs after the first are omitted, constant, or follow from shapes.
bool has_inferred_operands(const Node& node);

/// Whether a Reshape, Flatten, Squeeze, Unsqueeze or Transpose accepts every input of its input's
/// type: a Reshape keeps the number of elements for all values of symbols, a Squeeze removes axes
/// known to be 1. False for other nodes.
bool takes_every_input(const Node& move);

/// The exact number of elements that a Reshape accepts; nothing for other nodes, and when it copies
/// a size or infers one.
std::optional<std::int64_t> wanted_elements(const Node& node);

}  // namespace ortool
