// Control flow operators, whose bodies are compiled programs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/provider/kernel.hpp"

namespace ortool {

class Graph;
class Program;
struct RunEnvironment;

/// Executes a control-flow node. Immutable, and shared by threads.
class ControlFlowKernel {
 public:
  virtual ~ControlFlowKernel() = default;

  virtual std::string_view name() const = 0;
  /// Computes all outputs. The context's inputs are the node's, followed by the captures of its
  /// bodies.
  virtual void run(DynamicContext& context, const RunEnvironment& environment) const = 0;
  virtual std::vector<const Program*> programs() const = 0;
};

using ProgramPtr = std::shared_ptr<const Program>;
/// Compiles a body.
using MakeProgram = std::function<ProgramPtr(const Graph&)>;

/// A body with the position of its captures among those of its node.
class Body {
 public:
  Body(const Node& node, const Graph& graph, const MakeProgram& make_program);

  /// Runs it on its inputs; captured values are taken from `context`.
  std::vector<RunValue> run(std::vector<RunValue> inputs, const DynamicContext& context,
                            const RunEnvironment& environment) const;
  const Graph& graph() const { return *graph_; }
  const Program& program() const { return *program_; }

 private:
  const Graph* graph_;
  std::size_t first_capture_ = 0;  ///< among the context's inputs
  ProgramPtr program_;
};

/// For a node with is_control_flow(); throws when its bodies are invalid.
std::unique_ptr<const ControlFlowKernel> make_control_flow(const Node& node,
                                                           const MakeProgram& make_program);

std::unique_ptr<const ControlFlowKernel> make_if(const Node& node, const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_loop(const Node& node,
                                                   const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_scan(const Node& node,
                                                   const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_sequence_map(const Node& node,
                                                           const MakeProgram& make_program);

// The generation operators of com.microsoft (libcore/runtime/search).
std::unique_ptr<const ControlFlowKernel> make_beam_search(const Node& node,
                                                          const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_greedy_search(const Node& node,
                                                            const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_sampling(const Node& node,
                                                       const MakeProgram& make_program);
std::unique_ptr<const ControlFlowKernel> make_whisper_beam_search(const Node& node,
                                                                  const MakeProgram& make_program);

/// The value of a boolean tensor of one element.
bool truth(const RunValue& value, std::string_view what);

}  // namespace ortool
