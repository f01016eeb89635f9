// Operators that ONNX tried and removed: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(experimental_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(experimental_kernel_files)
