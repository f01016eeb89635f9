// Sub-byte kernels: data-movement kernels for packed types, which unpack each element to a byte.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, a kernel for one-byte elements, on operands of packed types: inputs are unpacked
/// and outputs packed in the workspace. Operands of other types are passed through. `name` must
/// outlive the kernel.
KernelPtr make_packed_kernel(std::string_view name, KernelPtr inner);

}  // namespace ortool::cpu
