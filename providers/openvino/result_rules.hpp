// Result rules: which nodes OpenVINO reads, and computes otherwise than ONNX says.
#pragma once

#include <string>

#include "providers/modules/ortool/provider_module.h"

namespace ortool::openvino {

/// How OpenVINO 2026.4 computes the node otherwise; empty: it does not, as far as is known.
std::string result_refusal(const ortool_provider_node& node);

}  // namespace ortool::openvino
