// Pooling: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(lp_pool_kernels)           \
  file(masked_max_pool_kernels)   \
  file(pool_nchwc_kernels)        \
  file(pool_nchw_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(pooling_kernel_files)
