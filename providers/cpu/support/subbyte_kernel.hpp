// Kernels that move elements, for types of several elements a byte: each gets a byte on the way.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, a kernel for elements of any byte, on operands of packed types: inputs are
/// unpacked and outputs packed in the workspace. Operands of other types pass as they are. `name`
/// must outlive the kernel.
KernelPtr make_packed_kernel(std::string_view name, KernelPtr inner);

}  // namespace ortool::cpu
