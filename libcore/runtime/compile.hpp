// Compilation of a placed graph to a list of kernels in execution order.
#pragma once

#include <memory>
#include <vector>

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

/// Compiles a group that a provider claimed. Releases constants that were packed: their mapped
/// pages leave memory. Errors name the node. Slots are not assigned yet.
CompiledStep compile(PlacedGroup group, ConstantStore& constants, const CompileContext& context);

}  // namespace ortool
