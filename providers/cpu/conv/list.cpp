// Convolutions: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(causal_conv_kernels)       \
  file(col2im_kernels)            \
  file(conv_int8_nchwc_kernels)   \
  file(conv_int8_nchw_kernels)    \
  file(conv_nchwc_kernels)        \
  file(conv_nchw_kernels)         \
  file(conv_transpose_kernels)    \
  file(deform_conv_kernels)       \
  file(reorder_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(conv_kernel_files)
