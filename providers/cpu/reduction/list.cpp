// Reductions, sorting and searching: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(arg_min_max_kernels)       \
  file(cumulative_kernels)        \
  file(det_kernels)               \
  file(inverse_kernels)           \
  file(mean_int8_kernels)         \
  file(reduction_kernels)         \
  file(top_k_kernels)             \
  file(unique_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(reduction_kernel_files)
