// Texts: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(regex_full_match_kernels)  \
  file(regex_ops_kernels)         \
  file(segment_ops_kernels)       \
  file(string_functions_kernels)  \
  file(string_ops_kernels)        \
  file(string_tables_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(text_kernel_files)
