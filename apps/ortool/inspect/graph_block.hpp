// A graph as JSON: inputs, outputs, initialisers, nodes and values.
#pragma once

#include <string>

#include "apps/ortool/report/json.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/inspect/count_macs.hpp"

namespace ortool {

struct BlockOptions {
  std::int64_t most_elements = 16;  ///< of a tensor attribute; beyond, only type and shape
  std::string select = "*";         ///< nodes, initialisers and values whose names fit
};

/// The main graph with its subgraphs inside the nodes that hold them.
Json graph_block(const Graph& graph, const BlockOptions& options, const MacCounter& counter);

Json functions_block(const Model& model, const BlockOptions& options);

/// {name, dtype, shape}; dimensions are numbers, symbols, or null; the shape is null when not even
/// the rank is known.
Json value_block(const Value& value);

/// Why the shape of a node's output is not known.
std::string why_shape_is_unknown(const Node& node);

}  // namespace ortool
