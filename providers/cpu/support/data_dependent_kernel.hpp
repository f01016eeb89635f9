// Data-dependent kernels: kernels whose preparation needs input data known only at run time.
#pragma once

#include <memory>
#include <string_view>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// A dynamic kernel that prepares `inner` in each run, with all inputs known, and runs it. Operands
/// must be tensors. `name` must outlive it, like a KernelRow's.
KernelPtr make_data_dependent_kernel(std::string_view name, KernelPtr inner);

}  // namespace ortool::cpu
