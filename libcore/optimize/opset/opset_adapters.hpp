// Opset adapters: the points in the history of ONNX's operators where a node's form changes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Converts a node across a version of its operator. Throws ErrorCode::unsupported with the reason
/// when there is no form on the other side. Returns the node, or its replacement.
using OpsetAdapter = Node& (*)(Node& node);

struct OpsetStep {
  const char* op_type;
  std::int64_t since;           ///< the operator version that is crossed
  OpsetAdapter up = nullptr;    ///< null: the form is the same
  OpsetAdapter down = nullptr;  ///< null: the form is the same
};

/// Version changes that the schemas alone do not express: attributes that became inputs, changed
/// meanings, and renamed operators.
std::span<const OpsetStep> opset_steps();

/// The step of an operator at a version, or null.
const OpsetStep* find_opset_step(std::string_view op_type, std::int64_t since);

}  // namespace ortool
