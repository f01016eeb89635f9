// Output ports: whether OpenVINO gives an output the type and shape that ONNX says.
#pragma once

#include <string>

#include "providers/modules/ortool/provider_module.h"
#include "providers/openvino/openvino_state.hpp"

namespace ortool::openvino {

/// How the type or the known shape of an output differ from those of `value`; empty: they do not.
std::string port_difference(const State& state, const Port* port,
                            const ortool_provider_value& value);

/// The same for each output of a node that was read as a model of its own.
std::string node_difference(const State& state, const SourceModel* model,
                            const ortool_provider_node& node);

}  // namespace ortool::openvino
