// Random numbers: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(dropout_kernels)           \
  file(random_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(random_kernel_files)
