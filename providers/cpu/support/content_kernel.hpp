// Content kernels: kernels whose preparation needs input data that is known only at run time.
#pragma once

#include <memory>
#include <string_view>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// A dynamic kernel that prepares `inner` in each run, with all inputs known, and runs it. Operands
/// must be tensors. `name` must outlive it, like a KernelRow's.
KernelPtr make_content_kernel(std::string_view name, KernelPtr inner);

}  // namespace ortool::cpu
