// Unregistering of kernels of custom operators, which programs take back.
#pragma once

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// Takes back rows that register_kernels() added, by their address. Spans of the list that were
/// taken before stay valid.
void unregister_kernels(const KernelRow* rows);

}  // namespace ortool::cpu
