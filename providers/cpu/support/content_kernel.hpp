// Kernels that must see the content of inputs to be prepared, where that comes at run time.
#pragma once

#include <memory>
#include <string_view>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// A dynamic kernel that prepares `inner` for each run, with all of its inputs known, and runs it.
/// Operands must be tensors. `name` must outlive it, as a KernelRow's does.
KernelPtr make_content_kernel(std::string_view name, KernelPtr inner);

}  // namespace ortool::cpu
