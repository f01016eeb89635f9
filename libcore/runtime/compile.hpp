// The graph as a list of compiled kernels in execution order.
#pragma once

#include <vector>

#include "libcore/runtime/place.hpp"
#include "libcore/runtime/provider.hpp"

namespace ortool {

/// One kernel with the values it reads and makes.
struct CompiledStep {
  NodeView view;
  const Provider* provider;
  KernelPtr kernel;
  std::vector<Value*> inputs;   ///< null where left out
  std::vector<Value*> outputs;  ///< null where left out
  std::vector<std::string> reasons;
};

/// Compiles every group. Constants that were packed are let go: their mapped pages leave memory.
/// Errors name the node.
std::vector<CompiledStep> compile(std::vector<PlacedGroup> groups, const CompileContext& context);

}  // namespace ortool
