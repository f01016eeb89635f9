// Mixtures of experts: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(moe_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(experts_kernel_files)
