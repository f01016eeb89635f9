// Elementwise functions: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(activation_kernels)        \
  file(arithmetic_kernels)        \
  file(bitwise_kernels)           \
  file(elementwise_nchwc_kernels) \
  file(cast_kernels)              \
  file(channel_lookup_kernels)    \
  file(clip_kernels)              \
  file(comparison_kernels)        \
  file(elementwise_int8_kernels)  \
  file(is_inf_kernels)            \
  file(is_nan_kernels)            \
  file(prelu_kernels)             \
  file(quantize_linear_kernels)   \
  file(swiglu_kernels)            \
  file(trigonometry_kernels)      \
  file(unary_math_kernels)        \
  file(variadic_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(elementwise_kernel_files)
