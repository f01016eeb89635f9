// Int8 convolution with a depthwise post-op in NCHW16c: a group of two convolutions, as one kernel.
#pragma once

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// The `appends` of rows for QLinearConv and QuantizedConv in NCHW16c (PostOpProvider::appends).
bool appends_int8_depthwise(const NodeView& group, const NodeView& next, const KernelRow& row);

/// Compiles a merged group.
KernelPtr compile_int8_depthwise_post_op(const NodeView& group, const KernelRow& row,
                                         const CompileContext& context);

}  // namespace ortool::cpu
