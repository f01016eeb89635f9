// Kernel rows of a level: those of the kernel list that a processor of the level can run.
#pragma once

#include <vector>

#include "kernels/cpu/isa/levels.hpp"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// In the order of the list. On aarch64 the list has no rows of their own for its levels: there,
/// rows for any processor are taken for the level, and so are those that avx2 has for float32 in
/// blocks of eight channels, whose kernels neon has as well, and for int8 in blocks of sixteen,
/// whose kernels dotprod has.
std::vector<const KernelRow*> level_rows(Isa most);

}  // namespace ortool::cpu
