// Quantization stages: the points of a model where values are quantized.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// The names around an integer tensor produced by a QuantizeLinear or DynamicQuantizeLinear. Scale
/// and zero point are outputs of the same node, constants, or other values.
struct Stage {
  std::string integers;
  std::string numbers;
  std::string scale;
  std::string zero_point;   ///< empty: 0
  std::int64_t axis = 0;    ///< of per-axis scales
  bool is_dynamic = false;  ///< scale and zero point are computed from the data
};

/// The stages of a graph with inferred types, without its bodies, in node order. Excludes
/// constants, blockwise scales, and quantization to types other than integers.
std::vector<Stage> find_stages(const Graph& graph);

}  // namespace ortool
