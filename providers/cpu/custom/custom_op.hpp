// Custom operators in the catalog: their schemas, checks and shape rules, from C structs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node.hpp"
#include "providers/cpu/custom/ortool/custom_ops.h"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// All versions of one operator; lives as long as the process.
struct CustomOp {
  std::string name;
  std::string domain;
  std::string library;                           ///< path, for messages
  std::vector<const ortool_operator*> versions;  ///< oldest first
  std::string kernel_name;                       ///< "libscale.so:Scale"
  std::string types;                             ///< for the user

  /// The version in force at an opset; null if there is none yet.
  const ortool_operator* at(std::int64_t opset) const;
};

/// Puts it into the catalog and the kernel list. Throws ErrorCode::invalid if the catalog has an
/// operator of that name.
void register_custom_op(CustomOp op);

/// The operator of a node; throws ErrorCode::unsupported for opsets before its first version.
const ortool_operator& custom_operator_of(const Node& node);
const CustomOp& custom_op_of(const Node& node);

/// Kernel rows call this.
KernelPtr compile_custom_op(const NodeView& view, const KernelRow& row,
                            const CompileContext& context);

}  // namespace ortool::cpu
