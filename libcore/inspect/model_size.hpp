// Model size: how many nodes, and how many bytes of constants.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Nodes of all graphs of a model, and bytes of its constants.
struct ModelSize {
  std::int64_t nodes = 0;
  std::int64_t bytes = 0;
};

ModelSize size_of(const Model& model);

}  // namespace ortool
