// Matrix products: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(einsum_kernels)            \
  file(gemm_kernels)              \
  file(matmul_kernels)            \
  file(matmul_nbits_kernels)      \
  file(coded_matmul_kernels)      \
  file(quantized_matmul_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(gemm_kernel_files)
