// Conversion to float16, except for nodes that must keep float32.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node that stays in float32 although its operator has a float16 form, and why.
struct KeptNode {
  std::string node;
  std::string reason;
};

struct Float16Report {
  std::int64_t converted = 0;
  std::vector<std::string> nodes;  ///< those converted, by name, in execution order
  std::vector<KeptNode> kept;
};

/// Converts the nodes of the main graph and all its bodies from float32 to float16 if their
/// operator supports it, with casts at the boundaries. Inputs and outputs of every graph keep their
/// types, and so do nodes with subgraphs; functions are not touched. Weights become float16; a node
/// stays in float32 when one of its weights exceeds the range of float16, when a weight of one
/// element would become zero, and when `keeps` gives a reason. Types must have been inferred; new
/// values have none until they are inferred again.
Float16Report convert_to_float16(Model& model,
                                 const std::function<std::string(const Node&)>& keeps);

}  // namespace ortool
