// Normalizations and softmax: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)         \
  file(batch_normalization_kernels)       \
  file(embed_layer_normalization_kernels) \
  file(layer_normalization_kernels)       \
  file(normalization_kernels)             \
  file(skip_layer_normalization_kernels)  \
  file(softmax_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(normalization_kernel_files)
