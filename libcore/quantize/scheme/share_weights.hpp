// Tied weights, of which one reader has the rows and another the columns, stored once.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Of a table of bytes that Gather reads and a matrix of bytes that is the table with rows for
/// columns, as an embedding and the last layer of a language model are, the table stays, and a
/// Transpose stands for the matrix, which runtimes compute at load. Levels that rounding by errors
/// moved by one count as equal. Returns how many matrices went away.
std::int64_t share_turned_levels(Model& model);

}  // namespace ortool
