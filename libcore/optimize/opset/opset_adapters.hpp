// The places in the history of ONNX's operators where a node needs another form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Brings a node across a version of its operator. Throws ErrorCode::unsupported with the reason
/// where the node has no form on the other side. Returns the node, or the one that took its place.
using OpsetAdapter = Node& (*)(Node& node);

struct OpsetStep {
  const char* op_type;
  std::int64_t since;           ///< the version of the operator whose begin is crossed
  OpsetAdapter up = nullptr;    ///< null: the form stays
  OpsetAdapter down = nullptr;  ///< null: the form stays
};

/// Versions that no table of inputs and attributes tells everything about: what moved from
/// attributes to inputs, other meanings of the same words, other names.
std::span<const OpsetStep> opset_steps();

/// The step of an operator at a version, or null.
const OpsetStep* find_opset_step(std::string_view op_type, std::int64_t since);

}  // namespace ortool
