// Lists of custom operators: checks of what a library or a program defines.
#pragma once

#include <string>

#include "libcore/base/error.hpp"
#include "providers/cpu/custom/ortool/custom_ops.h"

namespace ortool::cpu {

/// "custom_op.library".
Error operator_refusal(std::string message, std::string hint);

/// Where operators come from.
struct OperatorOrigin {
  std::string text;         ///< for messages
  std::string kernel_name;  ///< in front of the operator's, for reports: "libscale.so"
  bool is_removable = false;
};

/// Registers all operators of a list. Throws ErrorCode::invalid, and registers none, if one is
/// incomplete, twice there, or known.
void register_operator_list(const ortool_operators& operators, const OperatorOrigin& origin);

}  // namespace ortool::cpu
