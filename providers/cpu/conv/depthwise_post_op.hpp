// Convolution with a depthwise post-op in NCHWc: a group of two convolutions, as one kernel.
#pragma once

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// The `appends` of rows for Conv in NCHWc (PostOpProvider::appends).
bool appends_depthwise(const NodeView& group, const NodeView& next, const KernelRow& row);

/// Compiles a merged group.
KernelPtr compile_depthwise_post_op(const NodeView& group, const KernelRow& row,
                                    const CompileContext& context);

}  // namespace ortool::cpu
