// Sums of products in single operators: convolutions, matrix products, recurrences, attention.
#pragma once

#include <optional>

#include "libcore/graph/graph.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

/// Multiplications with additions that an operator of ONNX without subgraphs takes; nothing for
/// operators that are no sums of products. Dimensions that are not known stand in the formula as
/// "VALUE[axis]". A shape whose rank is not known gives the symbol "macs(NODE)".
std::optional<Cost> count_product_macs(const Node& node);

}  // namespace ortool
