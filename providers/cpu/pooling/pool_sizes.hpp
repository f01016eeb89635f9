// Pool parameters: a node's window as kernels take it.
#pragma once

#include "kernels/cpu/pooling/pool.hpp"
#include "libcore/ops/window_rules.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {

/// For an input N x C x D1 …; throws ErrorCode::unsupported for more than three spatial axes.
PoolSizes pool_sizes(const WindowAttributes& window, const Shape& x);

}  // namespace ortool::cpu
