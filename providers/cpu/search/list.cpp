// Search: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)     \
  file(bifurcation_detector_kernels)  \
  file(dynamic_time_warping_kernels)  \
  file(ngram_repeat_block_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(search_kernel_files)
