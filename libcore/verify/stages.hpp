// Where a model's numbers are quantised: the ends of its stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// The names around an integer tensor that a QuantizeLinear or DynamicQuantizeLinear makes. Scale
/// and zero point are results of the same node, constants, or other values.
struct Stage {
  std::string integers;
  std::string numbers;
  std::string scale;
  std::string zero_point;   ///< empty: 0
  std::int64_t axis = 0;    ///< of several scales
  bool is_dynamic = false;  ///< the scale and the zero point follow from the numbers
};

/// The stages of a graph with inferred types, not of its bodies, in the order of the nodes. Left
/// out are constants, scales in blocks, and what is quantised to other than integers.
std::vector<Stage> find_stages(const Graph& graph);

}  // namespace ortool
