// Control flow: running bodies with their captures.
#include "libcore/runtime/control_flow/control_flow.hpp"

#include <array>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/runtime/program.hpp"
#include "libcore/runtime/run_environment.hpp"

namespace ortool {
namespace {

struct ControlFlowKind {
  std::string_view domain;
  std::string_view op_type;
  std::unique_ptr<const ControlFlowKernel> (*make)(const Node& node,
                                                   const MakeProgram& make_program);
};

constexpr std::array<ControlFlowKind, 8> control_flow_kinds = {
    {{"", "If", make_if},
     {"", "Loop", make_loop},
     {"", "Scan", make_scan},
     {"", "SequenceMap", make_sequence_map},
     {contrib_domain, "BeamSearch", make_beam_search},
     {contrib_domain, "GreedySearch", make_greedy_search},
     {contrib_domain, "Sampling", make_sampling},
     {contrib_domain, "WhisperBeamSearch", make_whisper_beam_search}}};

const ControlFlowKind* kind_of(const Node& node) {
  for (const ControlFlowKind& kind : control_flow_kinds) {
    if (kind.op_type == node.op_type() && kind.domain == node.domain()) return &kind;
  }
  return nullptr;
}

}  // namespace

Body::Body(const Node& node, const Graph& graph, const MakeProgram& make_program)
    : graph_(&graph), first_capture_(static_cast<std::size_t>(node.input_count())) {
  for (const Graph* subgraph : node.subgraphs()) {
    if (subgraph == &graph) {
      program_ = make_program(*subgraph);
      return;
    }
    first_capture_ += subgraph->captures().size();
  }
  ORTOOL_CHECK(false);
}

std::vector<RunValue> Body::run(std::vector<RunValue> inputs, const DynamicContext& context,
                                const RunEnvironment& environment) const {
  environment.poll();
  for (std::size_t i = 0; i < graph_->captures().size(); ++i) {
    const RunValue& value = context.value(first_capture_ + i);
    inputs.push_back(environment.value_memory == nullptr
                         ? value
                         : environment.value_memory->input(*graph_->captures()[i], value));
  }
  return program_->run(inputs, environment);
}

std::unique_ptr<const ControlFlowKernel> make_control_flow(const Node& node,
                                                           const MakeProgram& make_program) {
  const ControlFlowKind* kind = kind_of(node);
  ORTOOL_CHECK(kind != nullptr);
  return kind->make(node, make_program);
}

bool truth(const RunValue& value, std::string_view what) {
  const Tensor& tensor = value.tensor();
  if (tensor.type() != DataType::boolean || tensor.element_count() != 1) {
    throw Error(ErrorCode::invalid,
                format("{} is {} (expected a boolean of one element)", what, value.describe()));
  }
  return tensor.data<bool>()[0];
}

}  // namespace ortool
