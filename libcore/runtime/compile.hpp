// Compilation of a placed graph to a list of kernels in execution order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/lower/place.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"
#include "libcore/runtime/slot.hpp"

namespace ortool {

/// A kernel with its inputs and outputs: a group's kernel, or the bodies of a control-flow node.
/// For the latter, `inputs` also include the values that the bodies capture.
struct CompiledStep {
  /// A node of the group by slots, for its shape rule.
  struct Member {
    const Node* node;
    std::vector<Slot> inputs;
    std::vector<Slot> outputs;
  };

  NodeView view;
  const Provider* provider;                               ///< null for control flow
  KernelPtr kernel;                                       ///< null for control flow
  std::unique_ptr<const ControlFlowKernel> control_flow;  ///< null for all else
  std::vector<const Value*> inputs;                       ///< null where left out
  std::vector<const Value*> outputs;                      ///< null where left out
  std::vector<std::string> reasons;
  std::vector<Slot> input_slots;
  std::vector<Slot> output_slots;
  std::vector<Member> members;

  const Node& node() const { return view.node(); }
  bool is_dynamic() const { return control_flow != nullptr || kernel->is_dynamic(); }
  std::string_view provider_name() const;
  std::string_view kernel_name() const;
};

/// Compiles groups that providers claimed, in their order. Threads compile several groups at the
/// same time, unless a limit makes the order matter; what is packed is the same.
/// Releases constants that were packed: their mapped pages leave memory. Errors name the node, the
/// first one if there are several. Slots are not assigned yet.
std::vector<CompiledStep> compile(std::span<PlacedGroup> groups, ConstantStore& constants,
                                  const CompileContext& context, Progress& progress);

}  // namespace ortool
