// MACs of single operators: convolutions, matrix products, recurrent layers, attention.
#pragma once

#include <optional>

#include "libcore/graph/node.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

/// Number of multiply-accumulate operations of an ONNX operator without subgraphs; nothing for
/// operators that are not sums of products. Unknown dimensions occur as "VALUE[axis]" in the
/// formula. A shape of unknown rank gives the symbol "macs(NODE)".
std::optional<Cost> count_product_macs(const Node& node);

}  // namespace ortool
