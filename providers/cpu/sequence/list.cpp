// Sequences and optionals: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(optional_ops_kernels)      \
  file(sequence_ops_kernels)      \
  file(sequence_pieces_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(sequence_kernel_files)
