// Nodes that read nothing but constants become constants before anything is compiled for good.
#pragma once

#include <cstdint>

#include "libcore/graph/graph.hpp"
#include "libcore/runtime/provider.hpp"

namespace ortool {

/// Bounds that keep a small file from growing into a large model.
struct FoldLimits {
  std::int64_t tensor_bytes = std::int64_t{16} << 20;
  std::int64_t total_bytes = std::int64_t{64} << 20;
  bool keeps_dequantized = false;  ///< DequantizeLinear stays a node
};

/// Replaces each node of `graph` whose inputs are all constants by its value, computed with
/// `provider`'s kernels. Nodes it cannot compute, random ones, ones with subgraphs, and ones past
/// the limits stay.
void fold_constants(Graph& graph, const Provider& provider, const CompileContext& context,
                    const FoldLimits& limits = {});

}  // namespace ortool
