// Claims of the openvino module: which nodes OpenVINO computes as ONNX has them.
#pragma once

#include "providers/openvino/openvino_state.hpp"

namespace ortool::openvino {

/// Refuses, with reasons, nodes whose types OpenVINO computes in other types, and all that its ONNX
/// reader or the device does not take: that is asked by compiling each kind of node alone. Throws
/// ModuleFailure.
void claim_nodes(ortool_provider_call& call, State& state, const ortool_provider_graph& graph);

}  // namespace ortool::openvino
