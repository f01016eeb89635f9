// String kernels: data-movement kernels for strings, which move numbers that stand for the strings.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Runs `inner`, an int64 kernel that only moves elements or compares them for equality, on numbers
/// that stand for the strings: 0 for the empty string, which therefore replaces zeros that an
/// operator inserts. Equal strings have equal numbers if `compares`. Operands that are not strings
/// are passed through. `name` must outlive the kernel.
KernelPtr make_string_kernel(std::string_view name, KernelPtr inner, bool compares = false);

}  // namespace ortool::cpu
