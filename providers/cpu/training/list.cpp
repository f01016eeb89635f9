// Losses and optimizer steps: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)  \
  file(cross_entropy_loss_kernels) \
  file(optimizer_steps_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(training_kernel_files)
