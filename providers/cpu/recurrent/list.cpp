// Recurrent layers: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)     \
  file(attn_lstm_kernels)             \
  file(dynamic_quantize_lstm_kernels) \
  file(recurrent_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(recurrent_kernel_files)
