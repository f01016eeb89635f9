// Post-op parts: the two convolutions of a group that lowering merged.
#pragma once

#include <cstddef>
#include <string>

#include "libcore/provider/node_view.hpp"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// Whether the group has two convolutions.
bool is_post_op(const NodeView& group);

/// The name of a row's kernel for merged groups: "conv_depthwise_nchwc_avx2".
std::string post_op_name(const KernelRow& row);

/// The two, each with its epilogue, as groups of their own. The value between them has the layout
/// of the merged group's output.
struct PostOpParts {
  explicit PostOpParts(const NodeView& group);

  NodeView dense;
  NodeView depthwise;
  std::size_t dense_inputs;  ///< how many of the merged group are the first one's
};

}  // namespace ortool::cpu
