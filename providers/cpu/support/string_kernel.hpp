// Kernels that move elements, for strings: they move the addresses of the strings.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, a kernel for elements of int64 that computes nothing with them but whether they
/// are equal, on numbers that stand for the strings: 0 for the empty string, which is what is left
/// where an operator puts zeros. Equal strings have equal numbers where `compares`. Operands that
/// are not strings pass as they are. `name` must outlive the kernel.
KernelPtr make_string_kernel(std::string_view name, KernelPtr inner, bool compares = false);

}  // namespace ortool::cpu
