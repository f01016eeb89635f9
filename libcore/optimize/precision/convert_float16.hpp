// Computing a model in 16-bit floats, save for what has to stay.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node that stays in float32 although its operator has a 16-bit form, and why.
struct KeptNode {
  std::string node;
  std::string reason;
};

struct Float16Report {
  std::int64_t converted = 0;
  std::vector<std::string> nodes;  ///< those converted, by name, in the order of execution
  std::vector<KeptNode> kept;
};

/// Lets the nodes of the main graph and of all bodies inside it read and make float16 in place of
/// float32 where their operator can; casts stand where the two meet. Inputs and outputs of every
/// graph stay as they are, and so do nodes with graphs inside; functions are no part of it. Weights
/// become float16; a node keeps float32 where one of its weights passes the range of float16, where
/// a weight of one element would become zero, and where `keeps` gives a reason. Types must have
/// been inferred; new values have none before they are inferred again.
Float16Report convert_to_float16(Model& model,
                                 const std::function<std::string(const Node&)>& keeps);

}  // namespace ortool
